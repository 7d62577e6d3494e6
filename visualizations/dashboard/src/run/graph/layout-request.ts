/**
 * The layout of a run's graph, in this thread or in a worker.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { layoutOf, type Layout } from '../../../../layout/layout.ts';

/** Phases are all of one size, so that none moves when it says something else. */
const PHASE_SIZE = { width: 220, height: 74 } as const;

/** Plans of more phases are laid out in a worker: they would hold the page for a moment that one notices. */
export const MOST_AT_ONCE = 200;

/** Lays out a plan. It knows nothing of what happens in the run, so phases never move. */
export function layoutForRun(plan: Plan): Layout {
  return layoutOf(plan, { size: () => PHASE_SIZE });
}
