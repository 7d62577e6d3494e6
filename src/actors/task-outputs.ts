/**
 * Outputs of the tasks of an attempt: those that one may read, and all of them.
 *
 * @module
 */
import { byName } from '../model/by-name.ts';
import type { TaskPlan } from '../model/plan.ts';
import type { Outputs } from '../model/task-types.ts';

/** Outputs that a task depends on. */
export function contextOf(plan: TaskPlan, outputs: Outputs): Outputs {
  return plan.after.length === 0 ? NOTHING : byName(plan.after.map((name) => [name, outputs[name]]));
}

/** All outputs, in the order of the tasks. */
export function inOrder(tasks: readonly TaskPlan[], outputs: Outputs): Outputs {
  if (tasks.length === 1) return Object.freeze(outputs);
  return Object.freeze(byName(tasks.map((task) => [task.name, outputs[task.name]])));
}

// --- internal ---

const NOTHING: Outputs = Object.freeze({});
