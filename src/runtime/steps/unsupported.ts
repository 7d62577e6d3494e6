/**
 * Pipelines whose work cannot be done in pieces, away from the run.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { mayAskPeople } from '../../model/handlers/person.ts';

/** Refuses a pipeline with parts that outstanding work has no support for. @throws PhasegateError `PIPELINE_UNSUPPORTED` */
export function refuseUnsupported({ name, work }: Pick<Pipeline, 'name' | 'work'>): void {
  for (const [phase, { tasks, reviewers }] of work.phases) {
    for (const [task, { runner, pool }] of [...tasks, ...reviewers]) {
      if (pool !== undefined)
        throw unsupported(name, `"${task}" of phase "${phase}" waits for a place of pool "${pool}"`, POOL_HINT);
      if (runner.pipeline !== undefined)
        throw unsupported(name, `task "${task}" of phase "${phase}" runs a pipeline`, CHILD_HINT);
      if (mayAskPeople(runner))
        throw unsupported(name, `"${task}" of phase "${phase}" asks people while it works`, PERSON_HINT);
    }
  }
}

// --- internal ---

const CHILD_HINT = 'Make its phases phases of this pipeline, or run it with a store.';
const POOL_HINT =
  'Leave `pool` out there, and limit the concurrency of the work service in Restate; or run it with a store.';
const PERSON_HINT = 'Ask with `human()` in a task or a gate of its own, or run it with a store.';

function unsupported(pipeline: string, found: string, hint: string): PhasegateError {
  const problem = `Cannot run pipeline "${pipeline}" in pieces, as Restate does, as ${found}`;
  return new PhasegateError('PIPELINE_UNSUPPORTED', problem, { hint });
}
