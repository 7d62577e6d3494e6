/**
 * A pipeline as data: what is left of a definition when the functions are taken out.
 *
 * @module
 */
import { hashOf } from '../values/content-hash.ts';
import { graphOf, type Graph } from '../values/graph.ts';
import { isSameJson } from '../values/json.ts';
import type { Subscription } from './artifact-subscription.ts';
import type { InboxPolicy } from './inbox-policy.ts';
import type { Estimate, Mode } from './options.ts';
import type { Backoff, Count, FullGatePolicy, Limits, Policy } from './policy.ts';

/** One task, or one reviewer, as data. */
export interface TaskPlan {
  readonly name: string;
  readonly description: string;
  /** Tasks of the same phase that it comes after. */
  readonly after: readonly string[];
  /** Tries in all, the first included. */
  readonly attempts: Count;
  readonly backoff: Backoff;
  /** Milliseconds per try; 0 for none. */
  readonly timeout: number;
  readonly estimate: Estimate;
  /** The version of its functions, as its author counts them; absent where it has none. */
  readonly version?: string | undefined;
}

/** One gate as data. */
export interface GatePlan extends FullGatePolicy {
  readonly checks: readonly string[];
  /** Those of them that are also run before the tasks first work; absent where none is. */
  readonly baseline?: readonly string[] | undefined;
  readonly reviewers: readonly TaskPlan[];
  /** What reflects on attempts that were sent back; absent where nothing does. */
  readonly reflect?: TaskPlan | undefined;
  /** How many reviewers must approve. */
  readonly quorum: number;
  /** Phases that may be sent back, in topological order. */
  readonly targets: readonly string[];
}

/** One phase as data. */
export interface PhasePlan {
  readonly name: string;
  readonly after: readonly string[];
  readonly mode: Mode;
  readonly tasks: readonly TaskPlan[];
  readonly gate: GatePlan | null;
  /** Artifacts that it subscribes to, in order; absent where there are none. */
  readonly subscribe?: readonly Subscription[] | undefined;
  /** The version of its schema, gate and tasks; absent where it has none. */
  readonly version?: string | undefined;
}

/** A pipeline as data; two pipelines with equal plans differ in their functions only. */
export interface Plan {
  readonly name: string;
  readonly phases: readonly PhasePlan[];
  readonly concurrency: Count;
  readonly onFailure: NonNullable<Policy['onFailure']>;
  readonly onLimit: NonNullable<Policy['onLimit']>;
  readonly limits: Limits;
  /** Limits that this run was given beside those of its pipeline: `limits` has the smaller of both. Absent where it was given none. */
  readonly runLimits?: Limits | undefined;
  /** Who is asked where a limit holds the run, and what happens where nobody answers; absent where the policy says nothing. */
  readonly inbox?: InboxPolicy | undefined;
  /** The version of all its functions; absent where it has none. */
  readonly version?: string | undefined;
}

/**
 * Identifies a plan: equal for equal plans, whatever the order of keys. Computed once per plan. It covers all that is data: names,
 * order, dependencies, descriptions, limits, gate options, names of checks and reviewers, versions. It covers no function and no schema.
 *
 * Taken phase by phase after the rest: as one text, a plan of many phases fills the memory.
 */
export function fingerprint(plan: Plan): string {
  const known = fingerprints.get(plan);
  if (known) return known;
  const { phases, ...rest } = plan;
  const made = hashOf([rest, ...phases]);
  fingerprints.set(plan, made);
  return made;
}

/**
 * The fingerprint of a plan, given another that was kept with its own: equal plans have equal fingerprints, and to compare
 * them is quicker than to take one.
 */
export function fingerprintLike(plan: Plan, kept: { readonly plan: Plan; readonly fingerprint: string }): string {
  return isSameJson(plan, kept.plan) ? kept.fingerprint : fingerprint(plan);
}

/** The graph of a plan's phases. Computed once per plan. */
export function planGraph(plan: Plan): Graph {
  const known = graphs.get(plan) ?? graphOf(plan.phases);
  graphs.set(plan, known);
  return known;
}

// --- internal ---

const fingerprints = new WeakMap<Plan, string>();
const graphs = new WeakMap<Plan, Graph>();
