/**
 * Crashes of rehearsals: a store that fails from a certain record on, as if the process had been killed.
 *
 * @module
 */
import type { RunEvent } from '../../model/events/event.ts';
import type { Lease, RunStore } from '../../store/port.ts';
import { storeClosed } from '../../store/refusals.ts';

/** A point at which the process dies: right after or right before it stores the nth record of a type, or of any type. */
export interface Crash {
  readonly type: RunEvent['type'] | undefined;
  readonly nth: number;
  /** True if the record is not stored any more. @default false */
  readonly isBefore?: true | undefined;
  /** True if the run may end before it. @default false, and that is an error */
  readonly mayMiss?: true | undefined;
}

/**
 * A crash after a record is stored. Records that were stored together with it are stored, too.
 *
 * @param at A type of event, such as `review.decided`, or the number of a record.
 * @param nth The number of the record among those of its type, from 1. @default 1
 * @throws RangeError if the number is none from 1.
 */
export function crashAfter(at: RunEvent['type'] | number, nth = 1): Crash {
  const crash = typeof at === 'number' ? { type: undefined, nth: at } : { type: at, nth };
  if (Number.isInteger(crash.nth) && crash.nth >= 1) return crash;
  throw new RangeError(`Cannot crash at record number ${String(crash.nth)}: pass an integer from 1`);
}

/**
 * A crash before a record is stored. The work that it tells of has been done, and is lost: `crashBefore('task.completed')` lets a task
 * work twice, and shows if that does harm.
 *
 * @param at A type of event, or the number of a record.
 * @param nth The number of the record among those of its type, from 1. @default 1
 */
export function crashBefore(at: RunEvent['type'] | number, nth = 1): Crash {
  return { ...crashAfter(at, nth), isBefore: true };
}

/** The store as one process sees it, until the process dies. */
export interface ProcessStore {
  readonly store: RunStore;
  readonly isDead: () => boolean;
  /** Lets the process die now: no call succeeds any more, and the store is free for another process. */
  readonly die: () => void;
}

/**
 * Wraps a store for one process.
 *
 * @param stir Called before and after each call.
 * @param onStore Called before and after records are stored. Returns true if the process dies now.
 */
export function processStore(
  store: RunStore,
  stir: () => void,
  onStore: (types: readonly RunEvent['type'][], isStored: boolean) => boolean,
): ProcessStore {
  const leases = new Set<Lease>();
  let isDead = false;

  async function call<T>(act: () => T | Promise<T>): Promise<T> {
    requireLife();
    stir();
    try {
      const value = await act();
      // The process may die during the call: then it never learns of its success.
      requireLife();
      return value;
    } finally {
      stir();
    }
  }

  function requireLife(): void {
    if (isDead) throw storeClosed('the store of a process that was killed');
  }

  return {
    store: {
      append: (batch, lease) =>
        call(async () => {
          const types = batch.records.map(({ event }) => event.type);
          isDead ||= onStore(types, false);
          requireLife();
          await store.append(batch, lease);
          isDead ||= onStore(types, true);
        }),
      read: (...args) => call(() => store.read(...args)),
      run: (...args) => call(() => store.run(...args)),
      runs: (...args) => call(() => store.runs(...args)),
      remove: (...args) => call(() => store.remove(...args)),
      acquire: (...args) =>
        call(async () => {
          const lease = await store.acquire(...args);
          leases.add(lease);
          return lease;
        }),
      renew: (...args) => call(() => store.renew(...args)),
      release: (...args) => call(() => store.release(...args)),
      suspend: (...args) => call(() => store.suspend(...args)),
      ready: (...args) => call(() => store.ready(...args)),
      inbox: (...args) => call(() => store.inbox(...args)),
      item: (...args) => call(() => store.item(...args)),
      post: (...args) => call(() => store.post(...args)),
      messages: (...args) => call(() => store.messages(...args)),
      artifact: (...args) => call(() => store.artifact(...args)),
      close: () => call(() => store.close()),
    },
    isDead: () => isDead,
    die() {
      isDead = true;
      for (const lease of leases) void store.release(lease);
    },
  };
}
