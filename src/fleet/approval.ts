/**
 * Approval of a plan by a person, who sees its levels and its worst case.
 *
 * @module
 */
import { phase, task } from '../model/definition/define.ts';
import { human } from '../model/handlers/human.ts';
import type { AnyPhase } from '../model/handlers/phase.ts';

/** Name of the phase that decides on the plan. */
export const PLAN = 'plan';

/** The question to the person. */
export const mayStart = human<'APPROVE'>({
  question: 'Shall the agents carry out this plan?',
  description: 'The output of the task has the plan, its phases and the most that it can take.',
});

/** A phase that waits for a person's approval of a plan that is given. @param lines The levels and bounds of the plan. */
export function approvalPhase(goal: string, lines: readonly string[]): AnyPhase {
  return phase(PLAN, {
    tasks: [
      task('bounds', { description: 'State the most that the plan can take.', run: () => ({ goal, bounds: lines }) }),
    ],
    review: { by: mayStart, maxRetries: 0 },
  });
}
