/**
 * Stopped work that has not ended: its usage still counts, and the end of the run waits a moment for it.
 *
 * @module
 */
import type { LateReport } from '../../model/events/event.ts';

/** Stopped work with handlers that still run. */
export interface Straggler {
  /** Charges the estimate of every try that has not reported its usage. */
  giveUp(): void;
}

/** Ports of a run for late reports. */
export interface StragglerPorts {
  /** Takes the usage, or the outcome, of a try that its phase no longer waits for. */
  take(report: LateReport): void;
  /** Calls back after the current step. */
  later(job: () => void): void;
}

/** The stopped work of one run that has not ended. */
export class Stragglers {
  readonly #ports: StragglerPorts;
  /** Created with the first: hardly any run has one. */
  #works: Set<Straggler> | undefined = undefined;
  /** Late reports that are to be counted. Created with the first. */
  #reports: LateReport[] | undefined = undefined;
  #job: (() => void) | undefined = undefined;

  constructor(ports: StragglerPorts) {
    this.#ports = ports;
  }

  add(work: Straggler): void {
    this.#works ??= new Set();
    this.#works.add(work);
  }

  /** Removes work that has ended, or is no longer waited for. */
  remove(work: Straggler): void {
    if (this.#works?.delete(work) && this.#works.size === 0 && this.#job) this.#ports.later(() => this.#finish());
  }

  /** Takes a late report. It counts after the current step, as handlers may report in the middle of it. */
  tell(report: LateReport): void {
    this.#reports ??= [];
    this.#reports.push(report);
    if (this.#reports.length === 1) this.#ports.later(() => this.#count());
  }

  /** Calls back when all late reports are counted. */
  whenCounted(job: () => void): void {
    if (!this.#reports?.length) job();
    else this.#ports.later(job);
  }

  /** Calls back when all work has ended, or after a few turns of the event loop. */
  whenAtRest(job: () => void): void {
    if (!this.#works?.size && !this.#reports?.length) {
      job();
      return;
    }
    this.#job = job;
    if (!this.#works?.size) this.#ports.later(() => this.#finish());
    else void this.#wait();
  }

  // --- internal ---

  async #wait(): Promise<void> {
    for (let turns = 0; turns < TURNS && this.#job; turns += 1) await turn();
    if (!this.#job) return;
    for (const work of this.#works ?? []) work.giveUp();
    this.#finish();
  }

  #finish(): void {
    this.#count();
    const job = this.#job;
    this.#job = undefined;
    job?.();
  }

  #count(): void {
    for (let report = this.#reports?.shift(); report; report = this.#reports?.shift()) this.#ports.take(report);
  }
}

// --- internal ---

/** Turns of the event loop that the end of a run waits for: enough for a handler that obeys its signal, and hardly any time. */
const TURNS = 8;

/** Waits one turn of the event loop, in which handlers do everything that takes no time. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else globalThis.setTimeout(resolve, 0);
  });
}
