/**
 * Looking again and again at what others may change, while somebody wants to know.
 *
 * Stores cannot say that something has changed: other processes write to them.
 *
 * @module
 */

/** What a look has come to. */
export interface PollResult {
  /** Whether there is something to be told. */
  readonly isNew: boolean;
  /** Milliseconds until the next look. */
  readonly againInMs: number;
}

/** Looks for all who watch, and not at all where nobody does. */
export interface Poller {
  /** @param wake Called after each look that has found something. @returns Ends the watch. */
  watch(wake: () => void): () => void;
}

/**
 * Makes a lookout that looks at once when the first comes.
 *
 * @param look Never rejects.
 * @param rest Called when the last one has left.
 */
export function createLookout(look: () => Promise<PollResult>, rest: () => void = () => undefined): Poller {
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  async function again(): Promise<void> {
    timer = undefined;
    isLooking = true;
    const { isNew, againInMs } = await look();
    isLooking = false;
    if (isNew) for (const wake of watchers) wake();
    if (watchers.size > 0) timer = setTimeout(() => void again(), againInMs);
    else rest();
  }

  return {
    watch(wake) {
      watchers.add(wake);
      if (timer === undefined && !isLooking) void again();
      return () => {
        watchers.delete(wake);
        if (watchers.size > 0 || isLooking) return;
        clearTimeout(timer);
        timer = undefined;
        rest();
      };
    },
  };
}
