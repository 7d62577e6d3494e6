/**
 * Plans of phases that are equal for the check of a journal.
 *
 * @module
 */
import type { GatePlan, PhasePlan, TaskPlan } from '../../model/plan/plan.ts';
import { isFields, isSameJson } from '../../model/values/json.ts';

/** Creates a function that numbers plans: equal ones alike. It returns `undefined` for another kind than the first 100. */
export function createKinds(): (phase: PhasePlan) => number | undefined {
  const kinds: PhasePlan[] = [];
  let latest = 0;
  return (phase) => {
    const known = kinds[latest];
    if (known && isSamePlan(known, phase)) return latest;
    const found = kinds.findIndex((one) => isSamePlan(one, phase));
    if (found === -1 && kinds.length === MOST_KINDS) return undefined;
    latest = found === -1 ? kinds.push(phase) - 1 : found;
    return latest;
  };
}

// --- internal ---

/** Most kinds of one run, as a plan may be compared with one of each. */
const MOST_KINDS = 100;

/** True for plans that differ only in names, and in parts that nothing reads, or that only demands are compared with. */
function isSamePlan(one: PhasePlan, other: PhasePlan): boolean {
  return (
    isSameBut(['name', 'after', 'tasks', 'gate'], one, other) &&
    isSameWork(one.tasks, other.tasks) &&
    isSameGate(one.gate, other.gate)
  );
}

function isSameGate(one: GatePlan | null, other: GatePlan | null): boolean {
  if (!one || !other) return one === other;
  return isSameBut(['targets', 'reviewers'], one, other) && isSameWork(one.reviewers, other.reviewers);
}

function isSameWork(some: readonly TaskPlan[], others: readonly TaskPlan[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, at) => {
      const other = others[at];
      return other !== undefined && isSameBut(['description'], one, other);
    })
  );
}

/** True if two objects have the same fields, and the same JSON in all but some. It copies nothing, as plans have many phases. */
function isSameBut(unread: readonly string[], one: object, other: object): boolean {
  if (!isFields(one) || !isFields(other)) return false;
  let left = 0;
  for (const _ in other) left += 1;
  for (const key in one) {
    left -= 1;
    // Most are equal numbers and texts.
    if (one[key] === other[key] && one[key] !== undefined) continue;
    if (!Object.hasOwn(other, key) || (!unread.includes(key) && !isSameJson(one[key], other[key]))) return false;
  }
  return left === 0;
}
