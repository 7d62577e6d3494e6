/**
 * The start of phases, and the number of slots (rules 1 and 2).
 *
 * @module
 */
import { isSettled, type Phase, type World } from './world.ts';

/** True if a phase may start once there is a slot. */
export function mayStart(phase: Phase): boolean {
  if (phase.status === 'returning') return true;
  return (phase.status === 'idle' || phase.status === 'rewinding') && [...phase.above].every(isSettled);
}

/** True if there is a slot for one more phase. */
export function hasRoom({ phases, scenario: { concurrency } }: World): boolean {
  return (
    concurrency === 'unlimited' ||
    phases.filter((phase) => phase.status === 'working' || isPlaced(phase)).length < concurrency
  );
}

/** True if a phase that continues has kept its slot. */
export function isPlaced(phase: Phase): boolean {
  return phase.status === 'returning' && phase.hasPlace;
}
