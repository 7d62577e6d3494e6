/**
 * Steps that a user gives for tasks of paths, instead of samples.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { fullName, type Script, type StepsByName } from '../rehearsal/script.ts';
import { stepOf } from '../rehearsal/step.ts';
import { unknownPart } from './refused.ts';
import type { Setting } from '../decisions/setting.ts';

/** Parts of a script that paths take from the user. */
export type OwnSteps = Pick<Script, 'input' | 'tasks' | 'reflections'>;

/**
 * Returns the step of a call of a task.
 *
 * @param nth The number of the call, from 1.
 * @returns The step in a list of one; an empty list if the user gives none.
 */
export function ownStep(
  { plan }: Setting,
  tasks: StepsByName,
  phase: string,
  task: string,
  nth: number,
): readonly unknown[] {
  const key = [fullName(phase, task), phase, task, '*'].find((name) => Object.hasOwn(tasks, name));
  if (key === undefined) return [];
  const given: unknown = tasks[key];
  if (!Array.isArray(given)) return [given];
  const last: unknown = given.at(-1);
  if (nth <= given.length) return [given[nth - 1]];
  if (given.length > 0 && stepOf(last).isRepeated) return [last];
  throw unknownPart(
    plan.name,
    `a path calls task "${fullName(phase, task)}" ${nth} times, and its steps end after ${given.length}`,
    'Give a function for all calls, or let the last step be repeats(step).',
  );
}

/** @throws PhasegateError `SCRIPT_INVALID` if a name is that of no task. */
export function requireTasks({ plan, seats }: Setting, tasks: StepsByName): void {
  const known = seats.flatMap(({ name, tasks: its }) => [
    name,
    ...its.flatMap((one) => (one.question ? [] : [one.name, fullName(name, one.name)])),
  ]);
  const wrong = Object.keys(tasks).find((key) => key !== '*' && !known.includes(key));
  if (wrong === undefined) return;
  throw new PhasegateError(
    'SCRIPT_INVALID',
    `Cannot make paths of pipeline "${plan.name}" with steps for task "${wrong}" as it has no such task`,
    { hint: 'Give steps by `phase.task`, by task, by phase, or for all with *.' },
  );
}
