/**
 * Calls of workers, counted. What is asked again under the same key after its process has ended is the same call, and is over
 * when it would have been.
 *
 * @module
 */

/** One call. */
export interface WorkerCall {
  /** Which one of this worker, from 0. */
  readonly nth: number;
  /** Milliseconds until it is over. */
  readonly left: number;
  readonly end: () => void;
}

/** What workers were asked so far. */
export interface Calls {
  /** @param key Its idempotency key. @param lasts How long the nth call takes. */
  take(worker: string, key: string, now: number, lasts: (nth: number) => number): WorkerCall;
}

/** @param outlives Whether calls outlive their process. */
export function createCalls(outlives = false): Calls {
  const counts = new Map<string, number>();
  const known = new Map<string, { readonly nth: number; readonly until: number; isOver: boolean }>();
  return {
    take(worker, key, now, lasts) {
      const before = outlives ? known.get(key) : undefined;
      // Another try of a task has the same key, and is another call; a review is asked again as a whole.
      const isSame = before && !(before.isOver && worker.includes('/'));
      const nth = isSame ? before.nth : (counts.get(worker) ?? 0);
      const one = isSame ? before : { nth, until: now + lasts(nth), isOver: false };
      if (!isSame) counts.set(worker, nth + 1);
      known.set(key, one);
      return { nth, left: Math.max(0, one.until - now), end: () => (one.isOver = true) };
    },
  };
}
