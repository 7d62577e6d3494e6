/**
 * How many requests one server gets at once, and when it gets none.
 *
 * All tasks that ask the same server share one of these, also tasks of other runs in the process. Where the server asks one of them to
 * wait (429, or an error with `retryAfterMs`), the others wait as well: their requests would be refused, and be counted against them.
 *
 * @module
 */
import { retryHintOf } from '../../model/errors/retry-hint.ts';

/** Who waits for a turn: until when, and by which clock. */
export interface Turn {
  readonly signal: AbortSignal;
  readonly wait: (ms: number) => Promise<void>;
}

/** The limit of one server. */
export interface RateLimit {
  /** Asks when it is its turn. @param concurrency Requests at once, of all who share the limit. */
  run<T>(ask: () => Promise<T>, turn: Turn, concurrency: number): Promise<T>;
}

/** A limit of its own. */
export function createRateLimit(): RateLimit {
  return new SharedLimit();
}

// --- internal ---

/** Milliseconds of a pause that a 429 does not name, the first and the longest. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

/** Longest pause in milliseconds, however long the server asks for: as long as tasks wait by themselves. */
const MOST_PAUSE = 300_000;

interface Pause {
  /** Milliseconds since 1970. */
  readonly until: number;
}

class SharedLimit implements RateLimit {
  #active = 0;
  /** Refusals in a row. */
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
    // Nobody waits for the answer of one that was aborted, so it keeps nobody else waiting.
    turn.signal.addEventListener('abort', leave);
    try {
      const answer = await ask();
      this.#refusals = 0;
      return answer;
    } catch (error) {
      this.#heed(error);
      throw error;
    } finally {
      turn.signal.removeEventListener('abort', leave);
      leave();
    }
  }

  /** Waits for the end of a pause, and for a place. In a pause that has begun meanwhile it waits again. */
  async #enter({ signal, wait }: Turn, concurrency: number): Promise<void> {
    let waited: Pause | undefined;
    for (;;) {
      if (signal.aborted) {
        // Its place may be one that somebody has just left to it.
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

  /** Waits until somebody leaves. */
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

  #heed(error: unknown): void {
    const { retryable, afterMs } = retryHintOf(error);
    const isRefusal = typeof error === 'object' && error !== null && Reflect.get(error, 'status') === 429;
    if (!retryable || (!isRefusal && afterMs === 0)) return;
    const own = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#refusals);
    this.#refusals = Math.min(this.#refusals + 1, 10);
    const until = Date.now() + Math.min(MOST_PAUSE, afterMs === 0 ? own : afterMs);
    if (!this.#pause || until > this.#pause.until) this.#pause = { until };
  }
}
