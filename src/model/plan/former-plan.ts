/**
 * The plan that a definition had when gates opened by default. A stored run continues with the policy that is in its plan.
 *
 * @module
 */
import { isFirstEdition } from './edition.ts';
import type { GatePlan, Plan } from './plan.ts';
import type { FullGatePolicy } from './policy.ts';

/** The defaults of a gate in the first edition. Options that were added later are in no plan of that time. */
export const formerDefaults = {
  maxRetries: 2,
  maxPredecessorRetries: 2,
  loopAfter: 2,
  onExhausted: 'accept',
  onUnrecognised: 'approve',
  onInvalidTarget: 'approve',
  maxReviewErrors: 3,
  reviewBackoff: Object.freeze({}),
  minConfidence: 0.6,
  rewindTo: 'predecessors',
  invalidate: 'requester',
  regate: true,
  layout: 'ensemble',
  strategy: 'feedback',
  maxRevisionChars: 32_000,
  maxPromptGrowth: 3,
  inbox: Object.freeze({}),
} as const satisfies Partial<FullGatePolicy>;

/** Registers a function that makes the plan with the former defaults. */
export function noteFormer(plan: Plan, make: () => Plan): void {
  formers.set(plan, make);
}

/** Returns the plan of the same definition for a stored run. In the first edition, its defaults and its set of options apply. */
export function planForStoredRun(plan: Plan, run: { readonly edition?: number | undefined }): Plan {
  const former = isFirstEdition(run) ? formers.get(plan)?.() : undefined;
  if (!former) return plan;
  return {
    ...former,
    phases: former.phases.map((phase) => (phase.gate ? { ...phase, gate: formerGate(phase.gate) } : phase)),
  };
}

// --- internal ---

const formers = new WeakMap<Plan, () => Plan>();

const PARTS = [
  'checks',
  'baseline',
  'reviewers',
  'reflect',
  'quorum',
  'targets',
] as const satisfies readonly (keyof GatePlan)[];

const FORMER: ReadonlySet<string> = new Set([...Object.keys(formerDefaults), ...PARTS]);

/** Removes the options that were added after the first edition. */
function formerGate(gate: GatePlan): GatePlan {
  const copy = { ...gate };
  for (const key of Object.keys(copy)) if (!FORMER.has(key)) Reflect.deleteProperty(copy, key);
  return copy;
}
