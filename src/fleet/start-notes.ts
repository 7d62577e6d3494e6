/**
 * Facts that people are told of when a run starts: those about the repository, and the waits of the plan.
 *
 * @module
 */
import type { TaskContext } from '../model/handlers/task.ts';
import { WORKSPACE_NOTE } from '../model/events/warning-codes.ts';
import type { Delay } from './arrange-plan.ts';

/** Reports each fact as a warning, unless the task that begins a run begins again. */
export function tellAtStart(
  { generation, attempt, try: nth, report }: Pick<TaskContext, 'generation' | 'attempt' | 'try' | 'report'>,
  notes: readonly string[],
  delays: readonly Delay[] = [],
): void {
  if (generation > 0 || attempt > 0 || nth > 1) return;
  for (const message of [...notes, ...delays.map((delay) => `${delayText(delay)}.`)])
    report({ warning: { code: WORKSPACE_NOTE, message } });
}

/** Describes a wait, without a full stop. */
export function delayText({ subtask, after, files }: Delay): string {
  return `${subtask} waits for ${after}, as both touch ${files[0]}`;
}
