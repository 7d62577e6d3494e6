/**
 * What every task reports. Written out, as an object that is spread and added to costs V8 a hidden class.
 *
 * @module
 */
import type { PhaseContext } from '../machines/phase-context.ts';
import type { TaskReport } from '../model/event.ts';
import type { TaskPlan } from '../model/plan.ts';

/** A try has begun. */
export function startedReport({ origin, attempt }: PhaseContext, task: TaskPlan, number: number): TaskReport {
  const { phase, generation } = origin;
  return { type: 'task.started', phase: phase.name, generation, attempt, task: task.name, try: number };
}

/** A task has ended well. */
export function completedReport(context: PhaseContext, task: TaskPlan, number: number, output: unknown): TaskReport {
  const { phase, generation } = context.origin;
  const { attempt } = context;
  return { type: 'task.completed', phase: phase.name, generation, attempt, task: task.name, try: number, output };
}
