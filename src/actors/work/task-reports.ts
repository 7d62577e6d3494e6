/**
 * What every task reports. Written out, as an object that is spread and added to costs V8 a hidden class.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { EventOf, TaskReport } from '../../model/events/event.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import type { TaskRunResult } from './run-task.ts';

/** A try has begun. */
export function startedReport({ origin, attempt }: PhaseContext, task: TaskPlan, number: number): TaskReport {
  const { phase, generation } = origin;
  return { type: 'task.started', phase: phase.name, generation, attempt, task: task.name, try: number };
}

/** A task has ended well. */
export function completedReport(
  context: PhaseContext,
  { name }: TaskPlan,
  done: Extract<TaskRunResult, { readonly ok: true }>,
): TaskReport {
  const { phase, generation } = context.origin;
  const { attempt } = context;
  const { tries, output, prompt, revised = false } = done;
  const type = 'task.completed';
  if (prompt === undefined && !revised)
    return { type, phase: phase.name, generation, attempt, task: name, try: tries, output };
  return { type, phase: phase.name, generation, attempt, task: name, try: tries, output, ...readMarks(done) };
}

/** A task, or a reviewer, has ended well, and nobody waits for it any more. */
export function droppedReport(
  { origin, attempt }: PhaseContext,
  { name: task }: TaskPlan,
  reviewer: boolean,
  number: number,
): EventOf<'task.dropped'> {
  const { phase, generation } = origin;
  return { type: 'task.dropped', phase: phase.name, generation, attempt, task, reviewer, try: number };
}

/** What is kept of what a handler has read: of its prompt enough to tell it from others, and how long it was. */
export function readMarks({ prompt, revised = false }: TaskRunResult): ReadMarks {
  return {
    ...(prompt !== undefined && { prompt: { hash: contentHash(prompt), chars: prompt.length } }),
    ...(revised && { revised }),
  };
}

type ReadMarks = Pick<Extract<TaskReport, { readonly type: 'task.completed' }>, 'prompt' | 'revised'>;
