/**
 * Runs that the server is starting. Loading a pipeline may take any time, so callers wait for a part of it only.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import type { ListedRun } from '../store/port.ts';
import type { Refusal, UiStart } from './api.ts';
import { refused } from './http/error-response.ts';

/** `begun` if the run works; `starting` if the caller has waited long enough, and the start is still pending. */
export type Begun = 'begun' | 'starting';

/** Starts runs, and remembers which starts are pending or have failed. */
export interface Starts {
  /**
   * Starts a run. A second call for the same action shares the pending start.
   *
   * @returns The state after at most 10 seconds. Rejects if the start fails in that time.
   */
  begin(how: 'resume' | 'retry', run: ListedRun, start: () => Promise<void>): Promise<Begun>;
  /** The state of the pending or failed start of a run, which the store does not know. */
  of(run: Pick<ListedRun, 'runId' | 'seq'>): UiStart | undefined;
  /** Ids of all runs with a pending or failed start. */
  runs(): readonly string[];
}

/** Creates the pending starts. @param closing Aborting it ends every wait. @param onError Called with unexpected errors. */
export function createStarts(closing: AbortSignal, onError: (thrown: unknown) => void): Starts {
  const starting = new Map<string, Starting>();
  const failed = new Map<string, Failed>();

  function follow(how: 'resume' | 'retry', { runId, seq }: ListedRun, start: () => Promise<void>): Starting {
    const begun = Promise.resolve()
      .then(start)
      .catch((thrown: unknown) => {
        // The caller no longer waits, and sees the failure at the run.
        if (one.isLate) fail(thrown);
        throw thrown;
      })
      .finally(() => {
        if (starting.get(runId) === one) starting.delete(runId);
      });
    const one: Starting = { how, begun, isLate: false };
    starting.set(runId, one);
    failed.delete(runId);
    return one;

    function fail(thrown: unknown): void {
      const { error } = refused(thrown).body;
      if (error.code === 'INTERNAL') onError(thrown);
      failed.set(runId, { seq, problem: error });
    }
  }

  return {
    async begin(how, run, start) {
      const pending = starting.get(run.runId);
      const one = pending?.how === how ? pending : follow(how, run, start);
      const leave = new AbortController();
      const signal = AbortSignal.any([leave.signal, closing]);
      const late = setTimeout(PATIENCE_MS, undefined, { ref: false, signal }).catch(() => undefined);
      const state = await Promise.race([
        one.begun.then(() => 'begun' as const),
        late.then(() => 'starting' as const),
      ]).finally(() => leave.abort());
      if (state === 'starting') one.isLate = true;
      return state;
    },
    of({ runId, seq }) {
      if (starting.has(runId)) return { state: 'starting' };
      const last = failed.get(runId);
      // New records of the run outdate the failure.
      return last && last.seq === seq ? { state: 'failed', problem: last.problem } : undefined;
    },
    runs: () => [...starting.keys(), ...failed.keys()],
  };
}

// --- internal ---

/** Milliseconds that a caller waits. */
const PATIENCE_MS = 10_000;

interface Starting {
  readonly how: 'resume' | 'retry';
  readonly begun: Promise<void>;
  /** True if a caller has got the answer `starting`. */
  isLate: boolean;
}

interface Failed {
  /** The number of the run's last record at that time. */
  readonly seq: number;
  readonly problem: Refusal['error'];
}
