/**
 * Levels: the phases of a compiled work plan. Their names are how records show a fleet.
 *
 * @module
 */
import type { PhasePlan, TaskPlan } from './plan.ts';

/** Names of the tasks that a level has besides its subtasks: the commit it starts from, and the commit it ends with. */
export const OWN_TASKS = { base: 'base', integrate: 'integrate' } as const;

/** Name of the last phase, which moves the branch of the run. */
export const HAND_OVER = 'hand-over';

/** Returns the name of the level of a number, from 1. */
export function levelName(number: number): string {
  return `${PREFIX}${number}`;
}

/** Returns the number of a level, from 1; `undefined` if the phase is no level. */
export function levelNumber({ name, tasks }: Pick<PhasePlan, 'name' | 'tasks'>): number | undefined {
  const number = Number(name.slice(PREFIX.length));
  const isNamed = Number.isSafeInteger(number) && number > 0 && name === levelName(number);
  const isMade = tasks[0]?.name === OWN_TASKS.base && tasks.at(-1)?.name === OWN_TASKS.integrate;
  return isNamed && isMade ? number : undefined;
}

/** Returns the subtasks of a level, in the order of the plan. */
export function subtasksOf({ tasks }: Pick<PhasePlan, 'tasks'>): readonly TaskPlan[] {
  return tasks.filter(({ name }) => !Object.hasOwn(OWN_TASKS, name));
}

/** Writes the description of the task of a subtask: its title, an empty line, and the work. */
export function subtaskDescription({ title, description }: SubtaskWords): string {
  const first = title.replaceAll(/\s+/gu, ' ');
  return description.trim() === '' ? first : `${first}\n\n${description}`;
}

/** Returns the title of a subtask from the description of its task. */
export function subtaskTitle({ description }: Pick<TaskPlan, 'description'>): string {
  return description.split('\n', 1)[0] ?? '';
}

// --- internal ---

const PREFIX = 'phase-';

interface SubtaskWords {
  readonly title: string;
  readonly description: string;
}
