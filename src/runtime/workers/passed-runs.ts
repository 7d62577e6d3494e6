/**
 * Runs that are ready, but that a worker cannot continue now.
 *
 * @module
 */
import type { ListedRun } from '../../store/port.ts';

/** Milliseconds until a run that could not be used is tried again. */
export const PAUSE_MS = 5000;

/** Remembers them. */
export class PassedRuns {
  readonly #passed = new Map<string, { readonly seq: number; readonly until: number }>();

  get size(): number {
    return this.#passed.size;
  }

  /** Passes over a run for some time. */
  pause({ runId, seq }: ListedRun): void {
    this.#passed.set(runId, { seq, until: performance.now() + PAUSE_MS });
  }

  /** Passes over a run until it has new records. */
  refuse({ runId, seq }: ListedRun): void {
    this.#passed.set(runId, { seq, until: Infinity });
  }

  /** Forgets all others. @param ready All runs that are ready. */
  keep(ready: readonly ListedRun[]): void {
    const known = new Set(ready.map(({ runId }) => runId));
    for (const runId of this.#passed.keys()) if (!known.has(runId)) this.#passed.delete(runId);
  }

  /** The runs that are passed over now, with their number of records. */
  current(): readonly Pick<ListedRun, 'runId' | 'seq'>[] {
    const now = performance.now();
    return [...this.#passed].flatMap(([runId, { seq, until }]) => (now < until ? { runId, seq } : []));
  }

  mayTry({ runId, seq }: ListedRun): boolean {
    const passed = this.#passed.get(runId);
    if (!passed) return true;
    if (passed.seq === seq && performance.now() < passed.until) return false;
    this.#passed.delete(runId);
    return true;
  }
}
