/**
 * Work that was told to stop and is not at rest: what it says of its usage still counts, and the end of the run waits a
 * moment for it.
 *
 * @module
 */
import type { LateReport } from '../../model/events/event.ts';

/** Work with handlers that are still at work. */
export interface Straggler {
  /** Has every try that has not said what it used charged what it was expected to use at most. */
  giveUp(): void;
}

/** How a run takes what it is told late. */
export interface StragglerPorts {
  /** Takes what a try has used, or come to, that nobody waits for any more. */
  readonly take: (report: LateReport) => void;
  /** Calls back when what goes on now is over. */
  readonly later: (job: () => void) => void;
}

/** The work of one run that was stopped and is not at rest. */
export class Stragglers {
  readonly #ports: StragglerPorts;
  readonly #works = new Set<Straggler>();
  #said: LateReport[] = [];
  #job: (() => void) | undefined = undefined;

  constructor(ports: StragglerPorts) {
    this.#ports = ports;
  }

  add(work: Straggler): void {
    this.#works.add(work);
  }

  /** The work is at rest, or is not waited for any more. */
  remove(work: Straggler): void {
    if (this.#works.delete(work) && this.#works.size === 0 && this.#job) this.#ports.later(() => this.#finish());
  }

  /** Takes what is told late. It counts when what goes on now is over, as handlers may tell it in the middle of that. */
  tell(report: LateReport): void {
    this.#said.push(report);
    if (this.#said.length === 1) this.#ports.later(() => this.#count());
  }

  /** Calls back when all that was told counts. */
  whenCounted(job: () => void): void {
    if (this.#said.length === 0) job();
    else this.#ports.later(job);
  }

  /** Calls back when all is at rest, at once where it is, and after a few turns of the process at the latest. */
  whenAtRest(job: () => void): void {
    if (this.#works.size === 0 && this.#said.length === 0) {
      job();
      return;
    }
    this.#job = job;
    if (this.#works.size === 0) this.#ports.later(() => this.#finish());
    else void this.#wait();
  }

  // --- internal ---

  async #wait(): Promise<void> {
    for (let turns = 0; turns < TURNS && this.#job; turns += 1) await turn();
    if (!this.#job) return;
    for (const work of this.#works) work.giveUp();
    this.#finish();
  }

  #finish(): void {
    this.#count();
    const job = this.#job;
    this.#job = undefined;
    job?.();
  }

  #count(): void {
    for (let report = this.#said.shift(); report; report = this.#said.shift()) this.#ports.take(report);
  }
}

// --- internal ---

/** Turns of the event loop that the end of a run waits for: enough for a handler that heeds its signal, and no time to speak of. */
const TURNS = 8;

/** One turn of the event loop: whatever a handler does that takes no time is done by then. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else globalThis.setTimeout(resolve, 0);
  });
}
