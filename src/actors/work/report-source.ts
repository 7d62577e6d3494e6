/**
 * Source of a report: the phase, its attempt and a task.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';

/** Fields that identify the task and attempt of a report. */
export function about({ origin, attempt }: PhaseContext, plan: TaskPlan) {
  return { phase: origin.phase.name, generation: origin.generation, attempt, task: plan.name };
}
