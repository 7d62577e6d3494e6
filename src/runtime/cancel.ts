/**
 * Ending a run that is kept, without its pipeline.
 *
 * @module
 */
import type { TaskWork, Work } from '../model/definition/compile.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { RunResult } from '../projections/run/run-result.ts';
import type { RunStore } from '../store/port.ts';
import { readRun } from '../store/read-run.ts';
import { runUnknown } from '../store/refusals.ts';
import { definitionOf, resumeRun, type ResumeOptions } from './resume.ts';

/**
 * Cancels a run that no process works on. Nothing of it runs, so its pipeline is not needed.
 *
 * To cancel one that a process works on, say so to that process: `store.post({ kind: 'cancel', … })`.
 *
 * @throws PhasegateError `RUN_UNKNOWN`, `RUN_ENDED`, `RUN_LEASED` where a process works on it.
 */
export async function cancelRun(
  store: RunStore,
  runId: string,
  reason = 'cancelled',
  options: Pick<ResumeOptions, 'clock' | 'holder'> = {},
): Promise<RunResult> {
  const records = await readRun(store, runId);
  const first = records[0]?.event;
  if (first?.type !== 'run.started') throw runUnknown('cancel', runId);
  const { plan } = definitionOf(records, first);
  // The machine ends it, which knows what it had come to, before anything begins.
  const signal = AbortSignal.abort(new Error(reason));
  const run = await resumeRun(store, runId, { name: plan.name, plan, work: idleWork(plan) }, { ...options, signal });
  return run.result;
}

// --- internal ---

/** Stands for the work of a pipeline, none of which is begun. */
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
