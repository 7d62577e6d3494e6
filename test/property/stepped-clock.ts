/**
 * Virtual time that moves from timer to timer.
 *
 * @module
 */
import { SimulatedClock } from 'xstate';

/** A simulated clock that moves from timer to timer. */
export class SteppedClock extends SimulatedClock {
  readonly #due = new Map<number, number>();

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

  /** Moves to the next timer and fires it. @returns False if there is none. */
  step(): boolean {
    if (this.#due.size === 0) return false;
    this.set(Math.min(...this.#due.values()));
    return true;
  }
}
