/**
 * The error of a run that did not complete.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { counted } from '../model/values/counts.ts';
import type { RunResult } from '../projections/run/run-result.ts';

/** Thrown by `outputs` and `runPipeline` for a run that did not complete. */
export class RunUnsuccessfulError extends PhasegateError {
  readonly result: RunResult<unknown>;

  constructor(result: RunResult<unknown>) {
    super(
      'RUN_UNSUCCESSFUL',
      `Cannot return outputs as run ${result.runId} of pipeline "${result.pipeline}" ended ${result.status}${clauseOf(result)}`,
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

/** The reason why a run did not complete, with that of the phase that ended it; `null` if there is none. */
export function endReason({ phases, error, reason }: RunResult<unknown>): string | null {
  if (error) return error.message;
  const bad = Object.entries(phases).find(([, phase]) => phase.status === 'failed' || phase.status === 'rejected');
  if (!bad) return reason;
  const [name, { status, attempts, exhausted, error: failure, reason: why }] = bad;
  const ended =
    status === 'failed' ? 'failed' : `was rejected${exhausted ? ` after ${counted(attempts, 'attempt')}` : ''}`;
  const text = failure?.message ?? why ?? '';
  return `phase "${name}" ${ended}${text === '' ? '' : `: ${text}`}`;
}

// --- internal ---

/** The reason as the end of a sentence. */
function clauseOf(result: RunResult<unknown>): string {
  const reason = endReason(result);
  if (reason === null) return '';
  return result.error || reason === result.reason ? `: ${reason}` : `, as ${reason}`;
}

function hintFor({ status, limit }: RunResult<unknown>): string {
  const details = 'Its `result` field has every phase with its decisions and errors.';
  if (status !== 'exhausted' || limit === null) return details;
  return `${details} Retry a stored run with a higher limit: retryRun(store, runId, pipeline, { limits }), or with \`allowChanged\` if the pipeline's limit is raised.`;
}
