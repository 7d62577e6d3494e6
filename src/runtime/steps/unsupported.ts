/**
 * Pipelines whose work cannot be done in pieces, away from the run.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { mayAskPeople } from '../../model/handlers/person.ts';
import type { Plan } from '../../model/plan/plan.ts';

/** Parts of a pipeline that are refused, each with the hint of its error. docs/scaling.md has them as a table. */
export const REFUSED_PARTS = {
  child: {
    part: 'a task that runs a pipeline without an `estimate` of `costUsd` or `tokens`, if that is limited',
    hint: 'Give the task an estimate of all that its run may use, or run it with a store.',
  },
  pool: {
    part: 'a task or a reviewer with a `pool`',
    hint: 'Leave `pool` out there, and limit the concurrency of the work service in Restate; or run it with a store.',
  },
  person: {
    part: 'an agent that asks people while it works',
    hint: 'Ask with `human()` in a task or a gate of its own, or run it with a store.',
  },
} as const;

/** Refuses a pipeline with parts that outstanding work has no support for. @throws PhasegateError `PIPELINE_UNSUPPORTED` */
export function refuseUnsupported({ name, plan, work }: Pick<Pipeline, 'name' | 'plan' | 'work'>): void {
  for (const [phase, { tasks, reviewers }] of work.phases) {
    for (const [task, { runner, pool }] of [...tasks, ...reviewers]) {
      const about = `"${task}" of phase "${phase}"`;
      if (pool !== undefined) throw unsupported(name, `${about} waits for a place of pool "${pool}"`, 'pool');
      const limit = runner.pipeline && unestimated(plan, phase, task);
      if (limit !== undefined) {
        const found = `task ${about} runs a pipeline without \`estimate.${limit}\`, and \`${limit}\` is limited`;
        throw unsupported(name, found, 'child');
      }
      if (mayAskPeople(runner)) throw unsupported(name, `${about} asks people while it works`, 'person');
    }
  }
}

// --- internal ---

/** Limits of usage, which the run of a task may use up. */
const OF_USAGE = ['costUsd', 'tokens'] as const;

/** The limit for which a task has no estimate. Its run would begin tries without room in that limit. */
function unestimated({ limits, phases }: Plan, phase: string, task: string): (typeof OF_USAGE)[number] | undefined {
  const planned = phases.find(({ name }) => name === phase)?.tasks.find(({ name }) => name === task);
  return OF_USAGE.find((name) => limits[name] !== undefined && planned?.estimate[name] === undefined);
}

function unsupported(pipeline: string, found: string, part: keyof typeof REFUSED_PARTS): PhasegateError {
  const problem = `Cannot run pipeline "${pipeline}" in pieces, as Restate does, as ${found}`;
  return new PhasegateError('PIPELINE_UNSUPPORTED', problem, { hint: REFUSED_PARTS[part].hint });
}
