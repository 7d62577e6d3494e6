/**
 * Real time of one call: it works until its function has ended, but for waits for virtual time.
 *
 * @module
 */

/** Counts the call among the working ones as long as its function works. */
export class RealTime {
  readonly #stir: () => void;
  readonly #working: Map<object, string>;
  readonly #name: string;
  #waits = 0;
  #isSpent = true;

  /** @param stir Called when the call begins to wait, or ends. @param working The names of all working calls. */
  constructor(stir: () => void, working: Map<object, string>, name: string) {
    this.#stir = stir;
    this.#working = working;
    this.#name = name;
  }

  /** Calls a function that may take real time. */
  async spend(run: () => unknown): Promise<unknown> {
    this.#isSpent = false;
    this.#count();
    try {
      return await run();
    } finally {
      this.end();
    }
  }

  /** Waits for virtual time. A function that waits twice at the same time works again after the last wait. */
  async pause(wait: Promise<void>): Promise<void> {
    this.#waits += 1;
    this.#count();
    await wait;
    this.#waits -= 1;
    this.#count();
  }

  /** Ends the work of the function. */
  end(): void {
    this.#isSpent = true;
    this.#count();
  }

  #count(): void {
    if (this.#isSpent || this.#waits > 0) this.#working.delete(this);
    else this.#working.set(this, this.#name);
    this.#stir();
  }
}
