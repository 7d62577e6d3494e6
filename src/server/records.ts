/**
 * The records of a run as they come.
 *
 * @module
 */
import type { RunRecord } from '../model/events/event.ts';
import type { RunStore } from '../store/port.ts';
import type { Refusal } from './api.ts';
import { refused } from './error-response.ts';
import { createBell, eventText, HEARTBEAT, HEARTBEAT_MS } from './event-stream.ts';
import { createLookout, type Poller } from './poller.ts';
import type { ServerContext } from './server-context.ts';

/** Tells records to all who want them. */
export interface RecordStream {
  /**
   * Tells a run from a record on, without an end: a run that has ended may be gone on with, and one that is not there may come.
   *
   * @param known The number of the last record that the reader has, 0 for none.
   */
  tell(runId: string, from: number, known: number, signal: AbortSignal): AsyncGenerator<string>;
}

/** Makes a teller with one lookout for each run that somebody reads. */
export function createRecordStream(context: Stage): RecordStream {
  const { store, farewell } = context;
  const watched = new Map<string, Poller>();

  function watchedRun(runId: string): Poller {
    const one = watched.get(runId) ?? lookoutOn(store, runId, () => watched.delete(runId));
    watched.set(runId, one);
    return one;
  }

  return {
    async *tell(runId, from, known, signal) {
      const bell = createBell(signal, farewell);
      const leave = watchedRun(runId).watch(() => bell.ring());
      let next = from;
      let last = known;
      let isCaughtUp = false;
      let told: string | undefined;
      try {
        while (!signal.aborted) {
          // Before it is read: what is kept then is all that is told.
          const isOver = farewell.aborted;
          const { records, seq, isGone, problem } = await readOn(context, runId, next, last);
          if (problem) {
            if (told !== problem.error.code) yield eventText('unreadable', problem);
            told = problem.error.code;
            isCaughtUp = false;
            if (isOver) return;
            await bell.wait(AFTER_PROBLEM_MS);
            continue;
          }
          told = undefined;
          const newest = records.at(-1);
          if (newest) {
            last = newest.seq;
            next = last + 1;
            yield eventText('records', records, last);
          }
          if (records.length === AT_ONCE) continue;
          if (isGone) {
            yield eventText('gone', { runId });
            return;
          }
          // Who has asked for later ones than there are has what there is.
          if (!isCaughtUp) yield eventText('caught-up', { seq: Math.min(seq, next - 1) });
          isCaughtUp = true;
          if (isOver) return;
          while (!signal.aborted && !(await bell.wait(HEARTBEAT_MS))) yield HEARTBEAT;
        }
      } finally {
        leave();
        bell.close();
      }
    },
  };
}

// --- internal ---

/** Records in one event. */
const AT_ONCE = 500;
/** Milliseconds between looks at a run that goes on, at one that has ended, and after a look that went wrong. */
const LOOK_MS = 200;
const LOOK_AT_ENDED_MS = 1000;
const AFTER_PROBLEM_MS = 1000;

type Stage = Pick<ServerContext, 'store' | 'farewell' | 'onError'>;

/** Looks at the row of a run, which is other with each record. */
function lookoutOn(store: RunStore, runId: string, rest: () => void): Poller {
  let seen: number | undefined;
  return createLookout(async () => {
    try {
      const run = await store.run(runId);
      const seq = run?.seq ?? 0;
      const isNew = seq !== seen;
      seen = seq;
      return { isNew, againInMs: run?.status === 'running' ? LOOK_MS : LOOK_AT_ENDED_MS };
    } catch {
      // Who is told reads for itself, and tells what is wrong.
      seen = undefined;
      return { isNew: true, againInMs: AFTER_PROBLEM_MS };
    }
  }, rest);
}

/** What is read at once. */
interface Part {
  readonly records: readonly RunRecord[];
  /** The number of the last record of the run. */
  readonly seq: number;
  /** Whether the run that was told is no more. */
  readonly isGone: boolean;
  readonly problem?: Refusal;
}

/** @param last The number of the last record that was told. */
async function readOn(
  { store, onError }: Omit<Stage, 'farewell'>,
  runId: string,
  next: number,
  last: number,
): Promise<Part> {
  try {
    const records = await store.read(runId, next, AT_ONCE);
    const run = await store.run(runId);
    // One of which nothing was told yet may still come. A store that was set back, or a run of the same id that was brought
    // from elsewhere, has another run.
    const seq = run?.seq ?? 0;
    return { records, seq, isGone: seq < last };
  } catch (thrown) {
    const problem = refused(thrown).body;
    if (problem.error.code === 'INTERNAL') onError(thrown);
    return { records: [], seq: 0, isGone: false, problem };
  }
}
