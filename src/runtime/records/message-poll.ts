/**
 * Polling for messages of other processes: one timer for each store, whatever the number of its runs.
 *
 * @module
 */
import type { RunStore, StoreWatch } from '../../store/port.ts';

/** The part of one run in the polling of its store. */
export interface MessagePoll {
  /** Keeps the process alive for messages, or no longer. It is not kept alive at first. */
  keepAlive(isNeeded: boolean): void;
  stop(): void;
}

/**
 * Polls a store for messages until it is stopped.
 *
 * @param listen Reads the messages to one run. It is called at first, and after each message to any run. A failed call is repeated.
 */
export function pollMessages(store: RunStore, listen: () => Promise<void>): MessagePoll {
  const shared = polls.get(store) ?? new StorePoll(store);
  polls.set(store, shared);
  const listener: Listener = { listen, heard: undefined, isBusy: false, isBehind: false, isNeeded: false };
  shared.add(listener);
  return {
    keepAlive: (isNeeded) => shared.need(listener, isNeeded),
    stop: () => shared.remove(listener),
  };
}

/** Milliseconds between looks at a store that tells of changes. What it does not tell is found by a look. */
export const WATCHED_MS = 1000;

// --- internal ---

/** Interval between polls, in milliseconds. */
const INTERVAL_MS = 250;

/**
 * After this many intervals, once in ten seconds, all runs read their messages. A store may have been wrong about its latest message, such as a
 * database whose transactions become visible in another order than that of their numbers.
 */
const FOR_ALL = 40;

const polls = new WeakMap<RunStore, StorePoll>();

interface Listener {
  readonly listen: () => Promise<void>;
  /** Place of the latest message at its last reading. */
  heard: number | undefined;
  isBusy: boolean;
  /** True if a poll came while it was busy. */
  isBehind: boolean;
  isNeeded: boolean;
}

class StorePoll {
  readonly #store: RunStore;
  readonly #listeners = new Set<Listener>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #needed = 0;
  #isPolling = false;
  #isTold = false;
  #intervals = 0;
  #nextForAll = FOR_ALL;
  #watch: StoreWatch | undefined;

  constructor(store: RunStore) {
    this.#store = store;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#pass(), INTERVAL_MS);
    this.#holdProcess();
  }

  remove(listener: Listener): void {
    this.need(listener, false);
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watch?.stop();
    this.#watch = undefined;
  }

  need(listener: Listener, isNeeded: boolean): void {
    if (listener.isNeeded === isNeeded || !this.#listeners.has(listener)) return;
    listener.isNeeded = isNeeded;
    this.#needed += isNeeded ? 1 : -1;
    this.#holdProcess();
  }

  #holdProcess(): void {
    // Browsers have numbers as timers, and no process.
    if (typeof this.#timer !== 'object') return;
    if (this.#needed > 0) this.#timer.ref();
    else this.#timer.unref();
  }

  /** An interval has passed. */
  #pass(): void {
    this.#intervals += 1;
    if (this.#watch?.isLive() !== true || this.#intervals % (WATCHED_MS / INTERVAL_MS) === 0) this.#pollSafely();
  }

  #pollSafely(): void {
    // A failed poll is repeated by the next one.
    void this.#poll().catch(() => undefined);
  }

  /** The store tells that there may be a message. */
  #tell(): void {
    this.#isTold = true;
    this.#pollSafely();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#timer === undefined) return;
    this.#isPolling = true;
    this.#isTold = false;
    try {
      // Runs that end before the first poll need no watch.
      this.#watch ??= this.#store.watch?.(() => this.#tell());
      // Read before the messages: one that comes in between is read by the next poll, at the latest.
      const latest = await this.#store.lastMessage?.();
      const isForAll = latest === undefined || this.#intervals >= this.#nextForAll;
      if (isForAll) this.#nextForAll = this.#intervals + FOR_ALL;
      for (const listener of this.#listeners)
        if (listener.isBusy) listener.isBehind = true;
        else if (isForAll || listener.heard !== latest) void this.#hear(listener, latest);
    } finally {
      this.#isPolling = false;
    }
    if (this.#isTold) await this.#poll();
  }

  async #hear(listener: Listener, latest: number | undefined): Promise<void> {
    listener.isBusy = true;
    listener.isBehind = false;
    try {
      await listener.listen();
      listener.heard = latest;
    } catch {
      // The next poll repeats it. The journal detects a store that accepts no records.
    } finally {
      listener.isBusy = false;
    }
    if (listener.isBehind) this.#pollSafely();
  }
}
