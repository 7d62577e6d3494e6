/**
 * Polls for changes while someone watches.
 *
 * Stores have no notifications, as other processes write to them.
 *
 * @module
 */

/** The result of a poll. */
export interface PollResult {
  /** True if something has changed. */
  readonly isNew: boolean;
  /** Milliseconds until the next poll. */
  readonly againInMs: number;
}

/** Polls on behalf of all watchers, and stops if there are none. */
export interface Poller {
  /** Adds a watcher. @param wake Called after each poll that found a change. @returns A function that removes the watcher. */
  watch(wake: () => void): () => void;
}

/**
 * Creates a poller. It polls at once when the first watcher comes.
 *
 * @param poll Polls once. It must not reject.
 * @param rest Called when the last watcher has left.
 */
export function createPoller(poll: () => Promise<PollResult>, rest: () => void = () => undefined): Poller {
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;

  async function pollNow(): Promise<void> {
    timer = undefined;
    isPolling = true;
    const { isNew, againInMs } = await poll();
    isPolling = false;
    if (isNew) for (const wake of watchers) wake();
    if (watchers.size > 0) timer = setTimeout(() => void pollNow(), againInMs);
    else rest();
  }

  return {
    watch(wake) {
      watchers.add(wake);
      if (timer === undefined && !isPolling) void pollNow();
      return () => {
        watchers.delete(wake);
        if (watchers.size > 0 || isPolling) return;
        clearTimeout(timer);
        timer = undefined;
        rest();
      };
    },
  };
}
