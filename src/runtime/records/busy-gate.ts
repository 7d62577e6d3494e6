/**
 * Waiting for a store that another program keeps busy, with one attempt in each turn of the event loop.
 *
 * A statement that a synchronous store refuses has blocked the event loop for some milliseconds. So a turn tries no other one after it, of
 * any store. A store that refuses by a rejected promise has blocked nothing, and may be busy with one run only. Such a call is tried again
 * by itself.
 *
 * @module
 */
import type { Awaitable } from '../../store/port.ts';
import { isStoreBusy } from '../../store/refusals.ts';
import { atEndOfTurn } from './end-of-turn.ts';

/** Calls of one kind to one store. While one of them is refused at once, later ones wait behind it. So only one is tried at a time. */
export interface BusyGate {
  /**
   * Calls at once if no call waits and none was refused in this turn. Then it returns synchronously what a synchronous store returns.
   *
   * @param mayWait Asked after each refusal. False ends the wait.
   * @throws the error of the call; `STORE_BUSY` only once it may not wait any longer.
   */
  pass<T>(call: () => Awaitable<T>, mayWait: () => boolean): Awaitable<T>;
}

/** Creates a gate. */
export function createBusyGate(): BusyGate {
  let waiting: Waiting[] = [];
  let isServing = false;

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    let pause = FIRST_PAUSE_MS;
    for (let [first] = waiting; first; [first] = waiting) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (mustWait()) continue;
      try {
        await first.call();
        waiting.shift();
        // Other work of this process comes in between.
        pause = 0;
      } catch (error) {
        spendTurn();
        const over = waiting.filter(({ mayWait }) => !mayWait());
        waiting = waiting.filter((one) => !over.includes(one));
        // Each is told of its own call, if that was refused once.
        for (const { reject, refusal } of over) reject(refusal ?? error);
        pause = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pause));
      }
    }
    isServing = false;
  }

  function wait<T>(call: () => Awaitable<T>, mayWait: () => boolean, refusal?: unknown): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({
        async call() {
          try {
            resolve(await call());
          } catch (error) {
            if (isStoreBusy(error)) throw error;
            reject(error);
          }
        },
        mayWait,
        refusal,
        reject,
      });
      void serve();
    });
  }

  return {
    pass<T>(call: () => Awaitable<T>, mayWait: () => boolean): Awaitable<T> {
      if (waiting.length > 0 || mustWait()) return wait(call, mayWait);
      const orWait = (error: unknown): Promise<T> => {
        if (!isStoreBusy(error)) throw error;
        spendTurn();
        if (mayWait()) return wait(call, mayWait, error);
        throw error;
      };
      try {
        const done = call();
        return done instanceof Promise ? done.catch((error: unknown) => tryAlone(call, mayWait, error)) : done;
      } catch (error) {
        return orWait(error);
      }
    },
  };
}

// --- internal ---

/** Tries a call again until it is not refused. @throws the last refusal, if it may not wait any longer */
async function tryAlone<T>(call: () => Awaitable<T>, mayWait: () => boolean, refusal: unknown): Promise<T> {
  let last = refusal;
  for (let pause = FIRST_PAUSE_MS; isStoreBusy(last) && mayWait(); pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      return await call();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Milliseconds. A transaction takes some. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

interface Waiting {
  /** Rejects only if the store is busy. */
  readonly call: () => Promise<void>;
  readonly mayWait: () => boolean;
  /** The error of its first call, if that was made. */
  readonly refusal: unknown;
  readonly reject: (error: unknown) => void;
}

/** True if a statement of some store was refused in this turn or the one before. */
let isTurnSpent = false;
/** The time of the refusal, in milliseconds. A timer that never comes, such as one of a test, must not hold back all stores. */
let spentAt = 0;

const LONGEST_TURN_MS = 1000;

function mustWait(): boolean {
  const age = performance.now() - spentAt;
  return isTurnSpent && age >= 0 && age < LONGEST_TURN_MS;
}

function spendTurn(): void {
  if (mustWait()) return;
  isTurnSpent = true;
  spentAt = performance.now();
  // At the end of the next turn: its timers and sockets come before another statement may be refused.
  setTimeout(() => atEndOfTurn(() => (isTurnSpent = false)), 0);
}
