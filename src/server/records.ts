/**
 * Live streams of the records of runs.
 *
 * @module
 */
import type { RunRecord } from '../model/events/event.ts';
import type { RunStore } from '../store/port.ts';
import { readPlans } from '../store/read-run.ts';
import type { Refusal } from './api.ts';
import { refused } from './http/error-response.ts';
import { createBell, createTurns, eventText, HEARTBEAT, HEARTBEAT_MS } from './streams/event-stream.ts';
import { createPoller, type Poller } from './streams/poller.ts';
import type { ServerContext } from './server-context.ts';

/** Streams records to any number of readers. */
export interface RecordStream {
  /**
   * Streams the records of a run. It does not end with the run, as the run may be resumed; and the run may not exist yet.
   *
   * @param known The number of the last record that the reader has, 0 for none.
   */
  stream(runId: string, from: number, known: number, signal: AbortSignal): AsyncGenerator<string>;
}

/** Creates a record stream with one poller for each run that has readers. */
export function createRecordStream(context: Stage): RecordStream {
  const { store, farewell } = context;
  const watched = new Map<string, Poller>();
  // A socket with room asks for the next page at once. Without turns, readers of long runs would hold up everything else.
  const turn = createTurns();

  function watchedRun(runId: string): Poller {
    const one = watched.get(runId) ?? pollerOf(store, runId, () => watched.delete(runId));
    watched.set(runId, one);
    return one;
  }

  return {
    async *stream(runId, from, known, signal) {
      const bell = createBell(signal, farewell);
      const leave = watchedRun(runId).watch(() => bell.ring());
      let next = from;
      let last = known;
      let isCaughtUp = false;
      let reported: string | undefined;
      try {
        while (!signal.aborted) {
          // Read before the store, so that the last pass includes every record that was stored before the farewell.
          const isOver = farewell.aborted;
          await turn();
          if (signal.aborted) return;
          const { records, seq, isGone, problem } = await readOn(context, runId, next, last);
          if (problem) {
            if (reported !== problem.error.code) yield eventText('unreadable', problem);
            reported = problem.error.code;
            isCaughtUp = false;
            if (isOver) return;
            await bell.wait(AFTER_PROBLEM_MS);
            continue;
          }
          reported = undefined;
          const newest = records.at(-1);
          if (newest) {
            last = newest.seq;
            next = last + 1;
            yield eventText('records', records, last);
          }
          if (records.length === PAGE_SIZE) continue;
          if (isGone) {
            yield eventText('gone', { runId });
            return;
          }
          // `from` may be beyond the last record. Such a reader has all records there are.
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
const PAGE_SIZE = 500;
/** Milliseconds between polls of a running run, of an ended run, and after a poll that failed. */
const POLL_MS = 200;
const POLL_ENDED_MS = 1000;
const AFTER_PROBLEM_MS = 1000;

type Stage = Pick<ServerContext, 'store' | 'farewell' | 'onError'>;

/** Polls the row of a run, which changes with each record. */
function pollerOf(store: RunStore, runId: string, rest: () => void): Poller {
  let seen: number | undefined;
  return createPoller(async () => {
    try {
      const run = await store.run(runId);
      const seq = run?.seq ?? 0;
      const isNew = seq !== seen;
      seen = seq;
      return { isNew, againInMs: run?.status === 'running' ? POLL_MS : POLL_ENDED_MS };
    } catch {
      // The readers read the store themselves, and report the error.
      seen = undefined;
      return { isNew: true, againInMs: AFTER_PROBLEM_MS };
    }
  }, rest);
}

/** The result of one read. */
interface Part {
  readonly records: readonly RunRecord[];
  /** The number of the last record of the run. */
  readonly seq: number;
  /** True if the run that was streamed no longer exists. */
  readonly isGone: boolean;
  readonly problem?: Refusal;
}

/** @param last The number of the last record that was sent. */
async function readOn(
  { store, onError }: Omit<Stage, 'farewell'>,
  runId: string,
  next: number,
  last: number,
): Promise<Part> {
  try {
    const records = await readPlans(store, runId, next, PAGE_SIZE);
    const run = await store.run(runId);
    // A run without sent records may still come to exist. After a restore of the store, or an import with the same id, it is
    // another run, with fewer records.
    const seq = run?.seq ?? 0;
    return { records, seq, isGone: seq < last };
  } catch (thrown) {
    const problem = refused(thrown).body;
    if (problem.error.code === 'INTERNAL') onError(thrown);
    return { records: [], seq: 0, isGone: false, problem };
  }
}
