/**
 * Suspension of runs that only wait, so that no process has to keep them: for people, or for the pause before a next try.
 *
 * @module
 */
import type { WorkHost } from '../../actors/work/work-host.ts';
import { countsAllTime } from '../../model/plan/edition.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import type { RunInbox } from './inbox.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import type { RunPersistence } from '../records/persistence.ts';
import { recordAt, type RecordLog } from '../records/record-log.ts';

/** A wait that ends within this time, in milliseconds, is no reason to suspend a run, or to park its work. */
export const SHORT_MS = 5000;

/** Watches one run, and suspends it as soon as it only waits. */
export interface WaitWatch {
  /** The host of the work of the run. It counts the handlers that are active. */
  readonly host: WorkHost;
  /** Looks if the run only waits. Called whenever records were stored. */
  look(): void;
}

/** Dependencies of a watch. */
export interface WaitWatchOptions {
  readonly log: RecordLog;
  readonly persistence: Pick<RunPersistence, 'host' | 'journal'>;
  readonly inbox: () => Pick<RunInbox, 'open' | 'settled' | 'isSettled'>;
  /** The plan that the run follows; `undefined` until it has begun. */
  readonly plan: () => Plan | undefined;
  /** Suspends the run. @param until Milliseconds since 1970; `Infinity` if only a message can continue it. */
  readonly suspend: (until: number) => void;
}

/** Creates the watch of a run. */
export function watchWaiting({ log, persistence, inbox, plan, suspend }: WaitWatchOptions): WaitWatch {
  const times = foldRunTimes();
  let read = 0;
  let active = 0;
  let isLooking = false;
  /** True if something has changed since the last look began. */
  let isDue = false;

  /** Returns the time until which the run only waits; `undefined` if something is active, or nobody can know. */
  function idleUntil(): number | undefined {
    for (let record = recordAt(log, read); record; record = recordAt(log, read)) {
      times.apply(record);
      read += 1;
    }
    const current = plan();
    const until = active > 0 || !current ? undefined : times.idleUntil();
    if (until === undefined || !current) return undefined;
    const due = inbox()
      .open()
      .map(({ expired, onExpiry, dueAt }) => (expired && onExpiry === 'reject' ? 0 : (dueAt ?? Infinity)));
    return Math.min(until, deadlineOf(current, log, times), ...due);
  }

  async function suspendIfIdle(): Promise<void> {
    let seen: number;
    do {
      seen = log.events.length;
      if (await persistence.journal.flush()) return;
      // By then, everything is recorded that follows at once from the latest records, and from answers that are there already.
      await endOfTurn();
      await inbox().settled();
    } while (seen !== log.events.length || !inbox().isSettled());
    const until = idleUntil();
    if (until !== undefined && until > log.now() + SHORT_MS) suspend(until);
  }

  function look(): void {
    isDue = isLooking;
    if (isLooking || idleUntil() === undefined) return;
    isLooking = true;
    // A store that fails stops the run by itself.
    void suspendIfIdle()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
        if (isDue) look();
      });
  }

  return {
    host: {
      ...persistence.host,
      count(by) {
        active += by;
        if (active === 0) look();
      },
    },
    look,
  };
}

// --- internal ---

/** The time at which a limit of time ends the run, in milliseconds since 1970. In early editions all time counts for both limits. */
function deadlineOf({ limits }: Plan, log: RecordLog, times: RunTimesFold): number {
  const { durationMs = Infinity, deadlineMs = Infinity } = limits;
  const [first] = log.events;
  const isAllCounted = first?.type === 'run.started' && countsAllTime({ edition: first.edition ?? 1 });
  const now = log.now();
  return now + Math.min(deadlineMs, isAllCounted ? durationMs : Infinity) - times.at(now).elapsedMs;
}
