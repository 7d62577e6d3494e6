/**
 * Pipelines with the shape of compiled plans, whose subtasks are functions. They need no repository.
 *
 * @module
 */
import { phase, task, type ReviewContext, type TaskContext } from '../../src/index.ts';
import type { AnyPhase } from '../../src/model/handlers/phase.ts';
import { levelName, OWN_TASKS, subtaskDescription } from '../../src/model/plan/level.ts';

/** A subtask as a function. */
export interface Part {
  readonly id: string;
  readonly title: string;
  readonly run?: (context: TaskContext) => unknown;
}

/** Makes a phase as `compilePlan` does. @param review The decision of its gate. */
export function levelOf(
  number: number,
  parts: readonly Part[],
  before?: AnyPhase,
  review: (context: ReviewContext) => unknown = () => 'APPROVE',
): AnyPhase {
  const { base, integrate } = OWN_TASKS;
  return phase(levelName(number), {
    after: before ? [before] : [],
    tasks: [
      task(base, { run: () => ({ base: `commit-${number}`, notes: [] }) }),
      ...parts.map(({ id, title, run = ({ prompt }) => `${id}: ${prompt.length}` }) =>
        task(id, { description: subtaskDescription({ title, description: 'Do it.' }), after: [base], run }),
      ),
      task(integrate, { after: [base, ...parts.map(({ id }) => id)], run: () => 'merged' }),
    ],
    review: { by: task('judge', { run: review }), maxRetries: 1, onExhausted: 'reject' },
  });
}
