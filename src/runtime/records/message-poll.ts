/**
 * Polling for messages of other processes: one timer for each store, whatever the number of its runs.
 *
 * @module
 */
import type { RunStore } from '../../store/port.ts';

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
  const listener: Listener = { listen, heard: undefined, isBusy: false, isNeeded: false };
  shared.add(listener);
  return {
    keepAlive: (isNeeded) => shared.need(listener, isNeeded),
    stop: () => shared.remove(listener),
  };
}

// --- internal ---

/** Interval between polls, in milliseconds. */
const INTERVAL_MS = 250;

/**
 * After this many polls, once in ten seconds, all runs read their messages. A store may have been wrong about its latest message, such as a
 * database whose transactions become visible in another order than that of their numbers.
 */
const FOR_ALL = 40;

const polls = new WeakMap<RunStore, StorePoll>();

interface Listener {
  readonly listen: () => Promise<void>;
  /** Place of the latest message at its last reading. */
  heard: number | undefined;
  isBusy: boolean;
  isNeeded: boolean;
}

class StorePoll {
  readonly #store: RunStore;
  readonly #listeners = new Set<Listener>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #needed = 0;
  #isPolling = false;
  #polls = 0;

  constructor(store: RunStore) {
    this.#store = store;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#timer !== undefined) return;
    // A failed poll is repeated by the next one.
    this.#timer = setInterval(() => void this.#poll().catch(() => undefined), INTERVAL_MS);
    this.#holdProcess();
  }

  remove(listener: Listener): void {
    this.need(listener, false);
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
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

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      // Read before the messages: one that comes in between is read by the next poll, at the latest.
      const latest = await this.#store.lastMessage?.();
      this.#polls += 1;
      const isForAll = latest === undefined || this.#polls % FOR_ALL === 0;
      for (const listener of this.#listeners)
        if (!listener.isBusy && (isForAll || listener.heard !== latest)) void hear(listener, latest);
    } finally {
      this.#isPolling = false;
    }
  }
}

async function hear(listener: Listener, latest: number | undefined): Promise<void> {
  listener.isBusy = true;
  try {
    await listener.listen();
    listener.heard = latest;
  } catch {
    // The next poll repeats it. The journal detects a store that accepts no records.
  } finally {
    listener.isBusy = false;
  }
}
