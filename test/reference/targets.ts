/**
 * The phases that a gate may send back (rule 10).
 *
 * @module
 */
import type { Call, GateSpec, ReviewAct } from './scenario.ts';
import type { Phase, World } from './world.ts';

/** Returns the phases that a person may send back. */
export function namesAbove({ above }: Phase): ReadonlySet<string> {
  return new Set([...above].map((one) => one.name));
}

/** Returns the phases that a gate may send back. */
export function allowedTargets(phase: Phase, { rewindTo = 'predecessors' }: GateSpec): ReadonlySet<string> {
  if (rewindTo === 'predecessors') return new Set(phase.spec.after);
  const above = [...phase.above].map((one) => one.name);
  return new Set(rewindTo === 'ancestors' ? above : above.filter((name) => rewindTo.includes(name)));
}

/**
 * Returns the act of a person as a reviewer. After the refusal of a forbidden target, the person demands the change
 * of the phase under review.
 */
export function asAllowed(phase: Phase, gate: GateSpec, act: Call<ReviewAct>): Call<ReviewAct> {
  if (act.do !== 'rewind' || allowedTargets(phase, gate).has(act.phase)) return act;
  const { phase: _, ...rest } = act;
  return { ...rest, do: 'retry' };
}

/** Returns the topological index of a phase: phases without predecessors first, then those that each of them frees. */
export function rank({ phases }: World, name: string): number {
  const placed = phases.filter((one) => one.spec.after.length === 0);
  const passed = new Set<string>();
  for (const one of placed) {
    passed.add(one.name);
    const freed = (next: Phase): boolean =>
      next.spec.after.includes(one.name) && next.spec.after.every((before) => passed.has(before));
    placed.push(...phases.filter(freed));
  }
  return placed.findIndex((one) => one.name === name);
}
