/**
 * Outputs of the tasks of an attempt: those that one task may read, and all of them.
 *
 * @module
 */
import type { Outputs } from '../../model/handlers/task.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';

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
