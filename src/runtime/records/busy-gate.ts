/**
 * Repeating of calls that a store refuses as it is busy: without blocking this process, with growing pauses, in their order.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Awaitable } from '../../store/port.ts';

/** Calls of one kind to one store. While one of them is refused, later ones wait behind it. So only one is tried at a time. */
export interface BusyGate {
  /**
   * Calls at once if no call waits. Returns synchronously what a synchronous store returns.
   *
   * @param mayWait Asked after each refusal. False ends the wait.
   * @throws the error of the call; `STORE_BUSY` only once it may not wait any longer.
   */
  pass<T>(call: () => Awaitable<T>, mayWait: () => boolean): Awaitable<T>;
}

/** True if a store is busy: the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return PhasegateError.is(error) && error.code === 'STORE_BUSY';
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
      try {
        await first.call();
        waiting.shift();
        // Other work of this process comes in between.
        pause = 0;
      } catch (error) {
        const over = waiting.filter(({ mayWait }) => !mayWait());
        waiting = waiting.filter((one) => !over.includes(one));
        for (const { reject } of over) reject(error);
        pause = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pause));
      }
    }
    isServing = false;
  }

  function wait<T>(call: () => Awaitable<T>, mayWait: () => boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({
        async call() {
          try {
            resolve(await call());
          } catch (error) {
            if (isBusy(error)) throw error;
            reject(error);
          }
        },
        mayWait,
        reject,
      });
      void serve();
    });
  }

  return {
    pass<T>(call: () => Awaitable<T>, mayWait: () => boolean): Awaitable<T> {
      if (waiting.length > 0) return wait(call, mayWait);
      const orWait = (error: unknown): Promise<T> => {
        if (isBusy(error) && mayWait()) return wait(call, mayWait);
        throw error;
      };
      try {
        const done = call();
        return done instanceof Promise ? done.catch(orWait) : done;
      } catch (error) {
        return orWait(error);
      }
    },
  };
}

// --- internal ---

/** Milliseconds. A transaction takes some. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

interface Waiting {
  /** Rejects only if the store is busy. */
  readonly call: () => Promise<void>;
  readonly mayWait: () => boolean;
  readonly reject: (error: unknown) => void;
}
