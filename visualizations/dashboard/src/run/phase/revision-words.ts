/**
 * The use that a task makes of a requested change, in words.
 *
 * @module
 */
import { OWN_TASKS } from '../../../../../src/model/plan/level.ts';
import { isSameJson } from '../../../../../src/model/values/json.ts';
import type { TaskHistory } from './task-history.ts';

/** A task of an attempt that a change was requested of. */
export interface RevisedTask {
  readonly task: Pick<TaskHistory, 'name' | 'output' | 'prompt' | 'hasReadRevision'>;
  /** The same task in the previous attempt, with the name of that attempt. */
  readonly before: { readonly task: Pick<TaskHistory, 'output'>; readonly name: string } | undefined;
  /** True if it is a task of a level of a fleet. */
  readonly isLevel: boolean;
}

/** Says if a task has read the requested change, or has kept its work; empty if there is nothing to say. */
export function revisionWords({ task, before, isLevel }: RevisedTask): string {
  if (!task.output) return '';
  if (!isLevel) return task.hasReadRevision ? 'has read what to change' : 'has not read what to change';
  // Its own tasks have no agent. A subtask without a prompt has asked none.
  if (Object.hasOwn(OWN_TASKS, task.name)) return '';
  const isKept = !task.prompt && before?.task.output && isSameJson(before.task.output.value, task.output.value);
  return isKept ? `has kept its work of ${before.name}` : 'has read what to change';
}
