/**
 * A timer that can be paused.
 *
 * @module
 */
import { after, type Clock } from '../phase/clock.ts';

/** A function to call when so many milliseconds, or fewer, are left. */
export interface Mark {
  readonly left: number;
  ring(): void;
}

/** Counts milliseconds down while it goes. */
export class Countdown {
  readonly #clock: Clock;
  readonly #now: () => number;
  #left: number;
  #marks: readonly Mark[];
  #since: number | undefined;
  #timers: readonly (() => void)[] = [];

  /**
   * It does not go yet.
   *
   * @param now Milliseconds since some moment.
   * @param left Milliseconds until the end.
   */
  constructor(clock: Clock, now: () => number, left: number, marks: readonly Mark[]) {
    this.#clock = clock;
    this.#now = now;
    this.#left = left;
    this.#marks = marks;
  }

  /** Goes on. */
  go(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#now();
    this.#timers = this.#marks.map((mark) =>
      after(this.#clock, Math.max(0, this.#left - mark.left), () => {
        this.#marks = this.#marks.filter((one) => one !== mark);
        mark.ring();
      }),
    );
  }

  /** Stands still, with no timer set. */
  pause(): void {
    if (this.#since === undefined) return;
    // A clock may be set back.
    this.#left -= Math.max(0, this.#now() - this.#since);
    this.#since = undefined;
    for (const forget of this.#timers) forget();
    this.#timers = [];
  }
}
