/**
 * Starts of new runs.
 *
 * @module
 */
import { submitRun } from '../runtime/workers/submit-run.ts';
import { withLiveness } from '../store/lease-holder.ts';
import type { Started, StartRequest } from './api.ts';
import { refused, RequestRefused } from './http/error-response.ts';
import type { RunActions } from './run-actions.ts';
import { findRun } from './runs.ts';
import type { RequestContext } from './server-context.ts';

/**
 * Stores a run of a pipeline that the server was given, for a worker to begin. If asked to, it also begins the run itself.
 *
 * A second request with the same id, pipeline and input starts nothing more.
 *
 * @throws PhasegateError As `submitRun` does; `REQUEST_REFUSED` for any other pipeline.
 */
export async function startPipeline(
  context: RequestContext,
  actions: RunActions,
  { pipeline: name, runId, input, tags, begin = false }: StartRequest,
): Promise<Started> {
  const known = context.pipelines.get(name);
  if (!known) throw unknown(name, [...context.pipelines.keys()]);
  const { pipeline, source, memory } = known;
  const ownTags = tags ?? known.tags;
  // People can answer through the inbox.
  await submitRun(context.store, pipeline, { input, runId, source, memory, tags: ownTags, attended: true });
  const run = await findRun(context, runId);
  const hasBegun = run.seq > 1 || withLiveness(run, context.isAlive).lease !== undefined;
  if (hasBegun || !begin || !context.actions) return { runId, state: hasBegun ? 'begun' : 'submitted' };
  try {
    return { runId, state: await actions.continueRun('resume', run) };
  } catch (thrown) {
    const { error } = refused(thrown).body;
    // A worker was faster.
    if (error.code === 'RUN_LEASED') return { runId, state: 'begun' };
    // The run is stored, and a worker may still begin it.
    return { runId, state: 'submitted', problem: error };
  }
}

// --- internal ---

function unknown(name: string, known: readonly string[]): RequestRefused {
  const problem = `Cannot start a run as the dashboard has no such pipeline: ${JSON.stringify(name)}`;
  const hint =
    known.length === 0
      ? 'Name its file: phasegate ui <pipeline>. Or pass `pipelines` to the server.'
      : `It has these: ${known.map((one) => JSON.stringify(one)).join(', ')}.`;
  return new RequestRefused(404, problem, hint);
}
