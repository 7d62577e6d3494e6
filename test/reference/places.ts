/**
 * Which phases may start, and how many at a time (rules 1 and 2).
 *
 * @module
 */
import { isSettled, type Phase, type World } from './world.ts';

/** Whether a phase may start, as soon as there is a place. */
export function mayStart(phase: Phase): boolean {
  if (phase.status === 'returning') return true;
  return (phase.status === 'idle' || phase.status === 'rewinding') && [...phase.above].every(isSettled);
}

/** Whether there is a place for one more phase. */
export function hasRoom({ phases, scenario: { concurrency } }: World): boolean {
  return (
    concurrency === 'unlimited' ||
    phases.filter((phase) => phase.status === 'working' || isPlaced(phase)).length < concurrency
  );
}

/** Whether a phase that goes on has kept its place. */
export function isPlaced(phase: Phase): boolean {
  return phase.status === 'returning' && phase.hasPlace;
}
