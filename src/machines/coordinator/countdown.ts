/**
 * A timer that can be paused.
 *
 * @module
 */
import { after, type Clock } from '../phase/clock.ts';

/** A callback for the moment in which `left` milliseconds, or fewer, are left. */
export interface Mark {
  readonly left: number;
  ring(): void;
}

/** Counts milliseconds down while it runs. */
export class Countdown {
  readonly #clock: Clock;
  readonly #now: () => number;
  #left: number;
  #marks: readonly Mark[];
  #since: number | undefined;
  #timers: readonly (() => void)[] = [];

  /**
   * Creates a countdown that is paused.
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

  /** Starts or resumes the countdown. */
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

  /** Pauses the countdown, and clears its timers. */
  pause(): void {
    if (this.#since === undefined) return;
    // Clocks can be set back.
    this.#left -= Math.max(0, this.#now() - this.#since);
    this.#since = undefined;
    for (const forget of this.#timers) forget();
    this.#timers = [];
  }
}
