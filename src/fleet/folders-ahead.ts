/**
 * Folders that a fleet opens later, so that they can be prepared while an agent works.
 *
 * @module
 */
import { countOf } from '../model/plan/policy.ts';
import type { ArrangedPlan } from './arrange-plan.ts';
import type { FleetOptions } from './fleet-options.ts';
import type { Subtask } from './work-plan.ts';

/**
 * Counts the folders that are opened after that of a subtask: for subtasks of its level that wait for a turn, for checks and reviewers of
 * the level, and for the next level. At most as many as there are agents at the same time, and four.
 */
export function foldersAfter(options: FleetOptions, { levels }: ArrangedPlan, subtask: Subtask): number {
  const { checks = [], reviewers = [], concurrency = 4 } = options;
  const agents = countOf(concurrency);
  const at = levels.findIndex((level) => level.includes(subtask));
  const level = levels[at] ?? [];
  // Those of the first turn begin together with it.
  const begun = Math.max(level.indexOf(subtask) + 1, agents);
  const waiting = Math.max(0, level.length - begun);
  const judges = checks.length + reviewers.filter((one) => 'agent' in one).length;
  const next = levels[at + 1]?.length ?? 0;
  return Math.min(waiting + judges + next, agents, MOST_AHEAD);
}

// --- internal ---

/** Most folders, as each takes room on the disk. */
const MOST_AHEAD = 4;
