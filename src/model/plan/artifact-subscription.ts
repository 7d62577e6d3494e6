/**
 * Artifacts that a phase subscribes to: those of phases before it, and its own of the previous attempt.
 *
 * @module
 */
import type { Plan } from './plan.ts';

/** One artifact of one phase. */
export interface Subscription {
  readonly phase: string;
  readonly artifact: string;
}

/**
 * Reads `phase/artifact`. Names may contain slashes: the longest phase name that matches wins.
 *
 * @param phases Names of phases that it may be.
 * @returns `undefined` if it is none of them, or no artifact is named.
 */
export function readSubscription(text: string, phases: readonly string[]): Subscription | undefined {
  const phase = phases
    .filter((name) => text.startsWith(`${name}/`) && text.length > name.length + 1)
    .toSorted((a, b) => b.length - a.length)[0];
  return phase === undefined ? undefined : Object.freeze({ phase, artifact: text.slice(phase.length + 1) });
}

/** True if any phase subscribes to an artifact. The names are collected once per plan. */
export function isSubscribed(plan: Plan, phase: string, artifact: string): boolean {
  const known = gathered.get(plan) ?? gather(plan);
  gathered.set(plan, known);
  return known.get(phase)?.has(artifact) ?? false;
}

// --- internal ---

const gathered = new WeakMap<Plan, ReadonlyMap<string, ReadonlySet<string>>>();

function gather({ phases }: Plan): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { phase, artifact } of phases.flatMap((one) => one.subscribe ?? []))
    names.set(phase, (names.get(phase) ?? new Set()).add(artifact));
  return names;
}
