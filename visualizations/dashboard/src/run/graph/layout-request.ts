/**
 * The layout of a run's graph, for this thread or a worker.
 *
 * @module
 */
import { levelNumber, subtasksOf } from '../../../../../src/model/plan/level.ts';
import type { PhasePlan, Plan } from '../../../../../src/model/plan/plan.ts';
import { layoutOf, type Layout } from '../../../../layout/layout.ts';

/** The size of a phase in pixels. It depends on the plan alone, so no phase moves when its text changes. */
const PHASE_SIZE = { width: 220, height: 74 } as const;
/** A level of a fleet is wider, and has a line for each subtask. */
const LEVEL_WIDTH = 280;
const SUBTASK_HEIGHT = 20;

/** The most subtasks of a level that its box shows. */
export const MOST_SUBTASKS = 8;

/** The most phases of a plan that is laid out in this thread. A larger plan would block the page noticeably. */
export const MOST_AT_ONCE = 200;

/** Lays out a plan. The layout does not depend on the state of the run, so phases never move. */
export function layoutForRun(plan: Plan): Layout {
  // The page draws rewinds itself, those of one phase at a time.
  return layoutOf(plan, { size: sizeOf, rewinds: [] });
}

// --- internal ---

function sizeOf(phase: PhasePlan): { readonly width: number; readonly height: number } {
  if (levelNumber(phase) === undefined) return PHASE_SIZE;
  const { length } = subtasksOf(phase);
  const lines = Math.min(length, MOST_SUBTASKS) + (length > MOST_SUBTASKS ? 1 : 0);
  return { width: LEVEL_WIDTH, height: PHASE_SIZE.height + lines * SUBTASK_HEIGHT };
}
