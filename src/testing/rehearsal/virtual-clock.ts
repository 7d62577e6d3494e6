/**
 * Virtual time, which moves from timer to timer.
 *
 * @module
 */
import { SimulatedClock } from 'xstate';

/** A simulated clock that moves from timer to timer. */
export class VirtualClock extends SimulatedClock {
  readonly #due = new Map<number, number>();

  /** The number of timers that are set. */
  get timers(): number {
    return this.#due.size;
  }

  override setTimeout(fn: (...args: never[]) => void, timeout: number): number {
    const id = super.setTimeout(() => {
      this.#due.delete(id);
      fn();
    }, timeout);
    this.#due.set(id, this.now() + timeout);
    return id;
  }

  override clearTimeout(id: number): void {
    this.#due.delete(id);
    super.clearTimeout(id);
  }

  /** The time of the next timer; `Infinity` if there is none. */
  get next(): number {
    let next = Infinity;
    for (const time of this.#due.values()) next = Math.min(next, time);
    return next;
  }

  /** Moves to the next timer and fires it. @returns False if there is none. */
  step(): boolean {
    if (this.#due.size === 0) return false;
    this.set(this.next);
    return true;
  }
}

/** The timers of one process on a shared clock. They are gone when the process dies. */
export class ProcessClock {
  readonly #clock: VirtualClock;
  readonly #timers = new Set<number>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimeout(run: () => void, ms: number): number {
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: number): void {
    this.#timers.delete(timer);
    this.#clock.clearTimeout(timer);
  }

  /** Clears all timers. */
  clear(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
