/**
 * Timers of work: they end with it.
 *
 * @module
 */
import { LONGEST_DELAY, type Clock } from '../../machines/phase/clock.ts';

/** The work that a timer belongs to. */
export interface TimerOwner {
  readonly clock: Clock;
  /** Called when the timer has rung, or was stopped. */
  forget(timer: ScopeTimer): void;
  /** Runs a callback of the work. */
  guard(run: () => void): void;
}

/** A timer, however long its delay. A class, as each try that waits holds one: with functions it would take twice the heap. */
export class ScopeTimer {
  readonly #owner: TimerOwner;
  readonly #run: () => void;
  #timer: unknown = undefined;

  /** Starts the timer. @param ms Delay in milliseconds. */
  constructor(owner: TimerOwner, ms: number, run: () => void) {
    this.#owner = owner;
    this.#run = run;
    this.#wait(ms);
  }

  /** Stops the timer: its callback is not called. */
  stop(): void {
    this.#owner.forget(this);
    this.#owner.clock.clearTimeout(this.#timer);
  }

  #wait(left: number): void {
    const ring = () => (left > LONGEST_DELAY ? this.#wait(left - LONGEST_DELAY) : this.#ring());
    this.#timer = this.#owner.clock.setTimeout(ring, Math.min(left, LONGEST_DELAY));
  }

  #ring(): void {
    this.#owner.forget(this);
    this.#owner.guard(this.#run);
  }
}
