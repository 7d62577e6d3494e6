/**
 * The layout of a run's graph, for this thread or a worker.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { layoutOf, type Layout } from '../../../../layout/layout.ts';

/** All phases have the same size, so no phase moves when its text changes. */
const PHASE_SIZE = { width: 220, height: 74 } as const;

/** The most phases of a plan that is laid out in this thread. A larger plan would block the page noticeably. */
export const MOST_AT_ONCE = 200;

/** Lays out a plan. The layout does not depend on the state of the run, so phases never move. */
export function layoutForRun(plan: Plan): Layout {
  return layoutOf(plan, { size: () => PHASE_SIZE });
}
