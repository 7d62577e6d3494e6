/**
 * Rate limit of one server: concurrent requests, and pauses.
 *
 * All tasks that ask the same server share one limit, even across runs in the process. If the server tells one of them to wait (429, or an
 * error with `retryAfterMs`), the others wait as well. Their requests would be refused, and would count against them.
 *
 * @module
 */
import { retryHintOf } from '../../model/errors/retry-hint.ts';

/** A waiting caller: the signal that ends its wait, and its clock. */
export interface Turn {
  readonly signal: AbortSignal;
  readonly wait: (ms: number) => Promise<void>;
}

/** The limit of one server. */
export interface RateLimit {
  /** Calls `ask` when there is room for a request. @param concurrency Most concurrent requests of all callers together. */
  run<T>(ask: () => Promise<T>, turn: Turn, concurrency: number): Promise<T>;
}

/** Creates a limit. */
export function createRateLimit(): RateLimit {
  return new SharedLimit();
}

// --- internal ---

/** Pauses after a 429 without a delay, in milliseconds: the first and the longest. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

/** Longest pause in milliseconds, even if the server asks for more. It equals the longest delay between tries of a task. */
const MOST_PAUSE = 300_000;

interface Pause {
  /** Milliseconds since 1970. */
  readonly until: number;
}

class SharedLimit implements RateLimit {
  #active = 0;
  /** Consecutive refusals. */
  #refusals = 0;
  #pause: Pause | undefined = undefined;
  readonly #waiting: (() => void)[] = [];

  async run<T>(ask: () => Promise<T>, turn: Turn, concurrency: number): Promise<T> {
    await this.#enter(turn, concurrency);
    let isOut = false;
    const leave = () => {
      if (isOut) return;
      isOut = true;
      this.#active -= 1;
      this.#waiting.shift()?.();
    };
    // An aborted request gives its place to the next caller at once.
    turn.signal.addEventListener('abort', leave);
    try {
      const answer = await ask();
      this.#refusals = 0;
      return answer;
    } catch (error) {
      this.#pauseAfter(error);
      throw error;
    } finally {
      turn.signal.removeEventListener('abort', leave);
      leave();
    }
  }

  /** Waits for the end of a pause, and for a free place. It waits again if another pause has begun meanwhile. */
  async #enter({ signal, wait }: Turn, concurrency: number): Promise<void> {
    let waited: Pause | undefined;
    for (;;) {
      if (signal.aborted) {
        // Passes on the place that another request may have just given to it.
        this.#waiting.shift()?.();
        signal.throwIfAborted();
      }
      if (this.#pause && this.#pause !== waited && this.#pause.until > Date.now()) {
        waited = this.#pause;
        await wait(waited.until - Date.now());
      } else if (this.#active >= concurrency) await this.#place(signal);
      else break;
    }
    this.#active += 1;
  }

  /** Waits until a request ends. */
  #place(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', quit);
        resolve();
      };
      const quit = () => {
        const at = this.#waiting.indexOf(go);
        if (at !== -1) this.#waiting.splice(at, 1);
        resolve();
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', quit, { once: true });
    });
  }

  #pauseAfter(error: unknown): void {
    const { retryable, afterMs } = retryHintOf(error);
    const isRefusal = typeof error === 'object' && error !== null && Reflect.get(error, 'status') === 429;
    if (!retryable || (!isRefusal && afterMs === 0)) return;
    const own = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#refusals);
    this.#refusals = Math.min(this.#refusals + 1, 10);
    const until = Date.now() + Math.min(MOST_PAUSE, afterMs === 0 ? own : afterMs);
    if (!this.#pause || until > this.#pause.until) this.#pause = { until };
  }
}
