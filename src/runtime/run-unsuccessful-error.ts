/**
 * The error of a run that did not complete.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunResult } from '../projections/run/run-result.ts';

/** Thrown by `outputs` and `runPipeline` for a run that did not complete. */
export class RunUnsuccessfulError extends PhasegateError {
  readonly result: RunResult<unknown>;

  constructor(result: RunResult<unknown>) {
    super(
      'RUN_UNSUCCESSFUL',
      `Cannot return outputs as run ${result.runId} of pipeline "${result.pipeline}" ended ${result.status}${causeOf(result)}`,
      {
        hint: hintFor(result),
        cause: result.error ?? undefined,
      },
    );
    this.result = result;
  }
}

/** The outputs of a run. @throws RunUnsuccessfulError if it did not complete. */
export function outputsOf<O>(result: RunResult<O>): O {
  if (result.status !== 'completed') throw new RunUnsuccessfulError(result);
  return result.outputs;
}

// --- internal ---

function hintFor({ status, limit }: RunResult<unknown>): string {
  const details = 'Its `result` field has every phase with its decisions and errors.';
  if (status !== 'exhausted' || limit === null) return details;
  return `${details} Retry a stored run with a higher limit: retryRun(store, runId, pipeline, { limits }), or with \`allowChanged\` if the pipeline's limit is raised.`;
}

function causeOf({ phases, error, reason }: RunResult<unknown>): string {
  if (error) return `: ${error.message}`;
  const bad = Object.entries(phases).find(([, phase]) => phase.status === 'failed' || phase.status === 'rejected');
  if (bad) {
    const ended = bad[1].status === 'failed' ? 'failed' : 'was rejected';
    return `, as phase "${bad[0]}" ${ended}: ${bad[1].error?.message ?? bad[1].reason}`;
  }
  return reason === null ? '' : `: ${reason}`;
}
