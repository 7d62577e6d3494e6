/**
 * A pipeline without work, for runs that are resumed only to be cancelled.
 *
 * @module
 */
import type { TaskWork, Work } from '../../model/definition/compile.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import type { Plan } from '../../model/plan/plan.ts';

/** Returns a pipeline that has the plan of a run. None of its work ever begins. */
export function idlePipeline(plan: Plan): Pipeline {
  return { name: plan.name, plan, work: idleWork(plan) };
}

/** Options that cancel the run of such a pipeline before any work begins. No handler gets its input, so that may be masked. */
export function cancelledAtOnce(reason: string): { readonly allowMasked: true; readonly signal: AbortSignal } {
  return { allowMasked: true, signal: AbortSignal.abort(new Error(reason)) };
}

// --- internal ---

function idleWork({ phases }: Plan): Work {
  return {
    input: undefined,
    phases: new Map(
      phases.map(({ name, tasks, gate }) => [
        name,
        {
          input: undefined,
          tasks: new Map(tasks.map((task) => [task.name, NO_TASK])),
          checks: new Map(gate?.checks.map((check) => [check, NO_TASK.runner])),
          reviewers: new Map(gate?.reviewers.map((reviewer) => [reviewer.name, NO_TASK])),
          reflect: NO_TASK,
        },
      ]),
    ),
  };
}

const NO_TASK: TaskWork = {
  runner: {
    run() {
      throw new Error('It was cancelled before it could begin.');
    },
  },
  output: undefined,
  retryable: undefined,
};
