/**
 * Runs that are to go on: pipelines may take as long as they like to be loaded, so who asks is not kept waiting for all of it.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import type { ListedRun } from '../store/port.ts';
import type { Refusal, UiStart } from './api.ts';
import { refused } from './error-response.ts';

/** Whether a run goes on, or is being started for longer than somebody who has asked for it is kept waiting. */
export type Begun = 'begun' | 'starting';

/** Has runs go on, and knows which do not yet. */
export interface Starts {
  /**
   * Has a run go on. Two who ask for the same before it does get the same.
   *
   * @returns Rejects with why it cannot go on, where that is known soon.
   */
  begin(how: 'resume' | 'retry', run: ListedRun, start: () => Promise<void>): Promise<Begun>;
  /** What there is to be told of a run beside what is kept of it. */
  of(run: Pick<ListedRun, 'runId' | 'seq'>): UiStart | undefined;
  /** Ids of all runs of which there may be something to be told. */
  runs(): readonly string[];
}

/** @param closing Nobody is kept waiting once that is aborted. @param onError Told of errors that nobody has foreseen. */
export function createStarts(closing: AbortSignal, onError: (thrown: unknown) => void): Starts {
  const starting = new Map<string, Starting>();
  const failed = new Map<string, Failed>();

  function follow(how: 'resume' | 'retry', { runId, seq }: ListedRun, start: () => Promise<void>): Starting {
    const begun = Promise.resolve()
      .then(start)
      .catch((thrown: unknown) => {
        // Who has asked has gone on, and looks at the run.
        if (one.isLate) tell(thrown);
        throw thrown;
      })
      .finally(() => {
        if (starting.get(runId) === one) starting.delete(runId);
      });
    const one: Starting = { how, begun, isLate: false };
    starting.set(runId, one);
    failed.delete(runId);
    return one;

    function tell(thrown: unknown): void {
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
      // What it has done since says more.
      return last && last.seq === seq ? { state: 'failed', problem: last.problem } : undefined;
    },
    runs: () => [...starting.keys(), ...failed.keys()],
  };
}

// --- internal ---

/** Milliseconds for which who asks is kept waiting. */
const PATIENCE_MS = 10_000;

interface Starting {
  readonly how: 'resume' | 'retry';
  readonly begun: Promise<void>;
  /** Whether somebody was told that it is still being started. */
  isLate: boolean;
}

interface Failed {
  /** The last record that the run had. */
  readonly seq: number;
  readonly problem: Refusal['error'];
}
