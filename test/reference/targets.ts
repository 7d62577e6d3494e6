/**
 * Whom a gate may send back (rule 10).
 *
 * @module
 */
import type { GateSpec } from './scenario.ts';
import type { Phase } from './world.ts';

/** Whether a name is one of an ancestor. */
export function isAbove(phase: Phase, target: string): boolean {
  return [...phase.above].some((one) => one.name === target);
}

/** The phases that a gate may send back. */
export function allowedTargets(phase: Phase, { rewindTo = 'predecessors' }: GateSpec): ReadonlySet<string> {
  if (rewindTo === 'predecessors') return new Set(phase.spec.after);
  const above = [...phase.above].map((one) => one.name);
  return new Set(rewindTo === 'ancestors' ? above : above.filter((name) => rewindTo.includes(name)));
}
