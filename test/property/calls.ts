/**
 * A count of the calls of workers.
 *
 * A call that is repeated under the same key after the end of its process is the same call. It ends when the first
 * one would have.
 *
 * @module
 */

/** One call. */
export interface WorkerCall {
  /** The number of the call to this worker, from 0. */
  readonly nth: number;
  /** Milliseconds until its end. */
  readonly left: number;
  readonly end: () => void;
}

/** The calls of workers so far. */
export interface Calls {
  /**
   * Registers a call. @param key Its idempotency key. @param lasts Returns the duration of the nth call, in
   * milliseconds.
   */
  take(worker: string, key: string, now: number, lasts: (nth: number) => number): WorkerCall;
}

/** @param outlives True if calls outlive their process. @default false */
export function createCalls(outlives = false): Calls {
  const counts = new Map<string, number>();
  const known = new Map<string, { readonly nth: number; readonly until: number; isOver: boolean }>();
  return {
    take(worker, key, now, lasts) {
      const before = outlives ? known.get(key) : undefined;
      // A retry of a task has the same key, but is another call. A review is repeated as a whole.
      const isSame = before && !(before.isOver && worker.includes('/'));
      const nth = isSame ? before.nth : (counts.get(worker) ?? 0);
      const one = isSame ? before : { nth, until: now + lasts(nth), isOver: false };
      if (!isSame) counts.set(worker, nth + 1);
      known.set(key, one);
      return { nth, left: Math.max(0, one.until - now), end: () => (one.isOver = true) };
    },
  };
}
