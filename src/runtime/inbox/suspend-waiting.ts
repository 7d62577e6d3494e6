/**
 * Suspension of runs that only wait, so that no process has to keep them: for people, or for the pause before a next try.
 *
 * @module
 */
import type { WorkHost } from '../../actors/work/work-host.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { foldRunTimes } from '../../model/events/run-times.ts';
import type { RunInbox } from './inbox.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import type { RunPersistence } from '../records/persistence.ts';
import type { Wait } from '../records/release-lease.ts';
import { recordAt, type RecordLog } from '../records/record-log.ts';
import { waitEnd } from './wait-end.ts';

/** A wait that ends within this time, in milliseconds, is no reason to suspend a run, or to park its work. */
export const SHORT_MS = 5000;

/** Watches one run, and suspends it, with the runs that its tasks have started, as soon as all of them only wait. */
export interface WaitWatch {
  /** The host of the work of the run. It counts the handlers that are active. */
  readonly host: WorkHost;
  /** Looks if the run only waits. Called whenever records were stored, and when a task has started a run. */
  look(): void;
  /** Number of its records, and of those of the runs below it. */
  count(): number;
  /** Stores all records, and applies all answers. Resolves with false if the store fails. */
  settle(): Promise<boolean>;
  /** True if no received answer is still to be applied. */
  isSettled(): boolean;
  /** The time until which the run only waits; `undefined` if something is active, or nobody can know. Milliseconds since 1970. */
  idleUntil(): number | undefined;
  /** True if a limit of the run, or of one above it, lets no try of it begin. */
  isHeld(): boolean;
  /** Suspends the runs below it, then the run. @param heard Place up to which all of them have received messages. */
  suspend(heard: number): void;
}

/** The watch of the run whose task has started the watched one. */
export type OuterWatch = Pick<WaitWatch, 'look' | 'isHeld'>;

/** A run that a task of the watched one has started. */
export interface WatchedChild {
  readonly phase: string;
  readonly task: string;
  /** `undefined` if nothing can tell if it waits. */
  readonly watch: Omit<WaitWatch, 'host'> | undefined;
}

/** Dependencies of a watch. */
export interface WaitWatchOptions {
  readonly log: RecordLog;
  readonly persistence: Pick<RunPersistence, 'host' | 'journal' | 'heard' | 'place'>;
  readonly inbox: () => Pick<RunInbox, 'open' | 'settled' | 'isSettled'>;
  /** The plan that the run follows; `undefined` until it has begun, and once this process has ended it or let it go. */
  readonly plan: () => Plan | undefined;
  /** The runs that its tasks have started, and that work in this process. */
  readonly children: () => readonly WatchedChild[];
  /** The watch of the run whose task has started this one. It suspends both. @default none */
  readonly within?: OuterWatch | undefined;
  /** Suspends the run. */
  readonly suspend: (wait: Wait) => void;
}

/** Creates the watch of a run. */
export function watchWaiting(options: WaitWatchOptions): WaitWatch {
  const { log, persistence, inbox, plan, children, within, suspend } = options;
  const times = foldRunTimes();
  let read = 0;
  let active = 0;
  let isLooking = false;
  /** True if something has changed since the last look began. */
  let isDue = false;

  function readOn(): void {
    for (let record = recordAt(log, read); record; record = recordAt(log, read)) {
      times.apply(record);
      read += 1;
    }
  }

  function idleUntil(): number | undefined {
    readOn();
    const current = plan();
    const below = children();
    // A task is active, unless its run is watched.
    if (!current || active !== below.length) return undefined;
    const ends = below.map(({ phase, task, watch }) => ({ phase, task, until: watch?.idleUntil() }));
    const isHeldAbove = within?.isHeld() ?? false;
    return waitEnd({ log, times, plan: current, items: inbox().open(), below: ends, isHeldAbove });
  }

  async function settle(): Promise<boolean> {
    if (await persistence.journal.flush()) return false;
    // By then, everything is recorded that follows at once from the latest records, and from answers that are there already.
    await endOfTurn();
    await inbox().settled();
    for (const { watch } of children()) if (watch && !(await watch.settle())) return false;
    return true;
  }

  async function suspendIfIdle(): Promise<void> {
    let seen: number;
    let place: number | undefined;
    do {
      seen = watch.count();
      // A message to a run below makes this one ready only if it comes after this place.
      place = children().length > 0 ? await persistence.place() : undefined;
      if (!(await settle())) return;
    } while (seen !== watch.count() || !watch.isSettled());
    const until = idleUntil();
    const heard = children().length > 0 ? place : persistence.heard();
    if (until !== undefined && until > log.now() + SHORT_MS && heard !== undefined) watch.suspend(heard);
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

  const watch: WaitWatch = {
    host: {
      ...persistence.host,
      count(by) {
        active += by;
        if (by < 0) watch.look();
      },
    },
    look: () => (within ?? { look }).look(),
    count: () => children().reduce((sum, one) => sum + (one.watch?.count() ?? 0), log.events.length),
    settle,
    isSettled: () => inbox().isSettled() && children().every((one) => one.watch?.isSettled() ?? true),
    idleUntil,
    isHeld() {
      readOn();
      return times.isHeld() || (within?.isHeld() ?? false);
    },
    suspend(heard) {
      const until = idleUntil() ?? 0;
      for (const one of children()) one.watch?.suspend(heard);
      suspend({ until, heard });
    },
  };
  return watch;
}
