/**
 * The records of a run as they come.
 *
 * @module
 */
import type { RunStore } from '../store/port.ts';
import type { Backstage } from './backstage.ts';
import { createBell, eventText, HEARTBEAT, HEARTBEAT_MS } from './event-stream.ts';
import { createLookout, type Lookout } from './lookout.ts';
import { refused } from './refusal.ts';

/** Tells records to all who want them. */
export interface RecordTeller {
  /**
   * Tells a run from a record on, without an end: a run that has ended may be gone on with.
   *
   * @param known The number of the last record that the reader has, 0 for none.
   */
  tell(runId: string, from: number, known: number, signal: AbortSignal): AsyncGenerator<string>;
}

/** Makes a teller with one lookout for each run that somebody reads. */
export function createRecordTeller(stage: Pick<Backstage, 'store' | 'onError'>): RecordTeller {
  const { store } = stage;
  const watched = new Map<string, Watched>();

  function watchedRun(runId: string): Watched {
    const one = watched.get(runId) ?? createWatched(store, runId, () => watched.delete(runId));
    watched.set(runId, one);
    return one;
  }

  return {
    async *tell(runId, from, known, signal) {
      const run = watchedRun(runId);
      const bell = createBell(signal);
      const leave = run.watch(() => bell.ring());
      let next = from;
      let last = known;
      let isCaughtUp = false;
      let problem: string | undefined;
      try {
        while (!signal.aborted) {
          let waitMs = HEARTBEAT_MS;
          try {
            const records = await store.read(runId, next, AT_ONCE);
            problem = undefined;
            const newest = records.at(-1);
            if (newest) {
              last = newest.seq;
              next = last + 1;
              yield eventText('records', records, last);
              if (records.length === AT_ONCE) continue;
            }
            // A store that was set back, or a run of the same id that was brought from elsewhere, is another run.
            if (!(await hasRun(store, runId, last))) {
              yield eventText('gone', { runId });
              return;
            }
            if (!isCaughtUp) yield eventText('caught-up', { seq: last });
            isCaughtUp = true;
          } catch (thrown) {
            const { body } = refused(thrown);
            if (problem === undefined && body.error.code === 'INTERNAL') stage.onError(thrown);
            if (problem !== body.error.code) yield eventText('error', body);
            problem = body.error.code;
            waitMs = AFTER_PROBLEM_MS;
          }
          for (let isRung = false; !isRung && !signal.aborted;) {
            isRung = (await bell.wait(waitMs)) || waitMs === AFTER_PROBLEM_MS;
            if (!isRung) yield HEARTBEAT;
          }
        }
      } finally {
        leave();
      }
    },
  };
}

// --- internal ---

/** Records in one event. */
const AT_ONCE = 500;
/** Milliseconds between looks at a run that goes on, at one that has ended, and after a look that went wrong. */
const LOOK_MS = 200;
const LOOK_AT_ENDED_MS = 2000;
const AFTER_PROBLEM_MS = 1000;

type Watched = Lookout;

/** Looks at the row of a run, which is other with each record. */
function createWatched(store: RunStore, runId: string, rest: () => void): Watched {
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

async function hasRun(store: RunStore, runId: string, last: number): Promise<boolean> {
  const run = await store.run(runId);
  return run !== undefined && run.seq >= last;
}
