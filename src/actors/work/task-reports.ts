/**
 * Reports of tasks. Object literals are written out, as spreading and adding properties costs V8 a hidden class.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { EventOf, TaskReport } from '../../model/events/event.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import type { TaskRunResult } from './run-task.ts';

/** The report of a try that has begun. */
export function startedReport({ origin, attempt }: PhaseContext, task: TaskPlan, number: number): TaskReport {
  const { phase, generation } = origin;
  return { type: 'task.started', phase: phase.name, generation, attempt, task: task.name, try: number };
}

/** The report of a task that has succeeded. */
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

/** The report of a task or reviewer that has succeeded after its result was no longer awaited. */
export function droppedReport(
  { origin, attempt }: PhaseContext,
  { name: task }: TaskPlan,
  reviewer: boolean,
  number: number,
): EventOf<'task.dropped'> {
  const { phase, generation } = origin;
  return { type: 'task.dropped', phase: phase.name, generation, attempt, task, reviewer, try: number };
}

/** The record of a prompt and a revision that a handler has read. A prompt is recorded by its hash and length. */
export function readMarks({ prompt, revised = false }: TaskRunResult): ReadMarks {
  return {
    ...(prompt !== undefined && { prompt: { hash: contentHash(prompt), chars: prompt.length } }),
    ...(revised && { revised }),
  };
}

type ReadMarks = Pick<Extract<TaskReport, { readonly type: 'task.completed' }>, 'prompt' | 'revised'>;
