/**
 * A pipeline as data: its definition without the functions.
 *
 * @module
 */
import { hashOf } from '../values/content-hash.ts';
import { graphOf, type Graph } from '../values/graph.ts';
import { isSameJson } from '../values/json.ts';
import type { Subscription } from './artifact-subscription.ts';
import type { InboxPolicy } from './inbox-policy.ts';
import type { Estimate, Mode } from './options.ts';
import { phaseWriter } from './phase-writer.ts';
import type { Backoff, Count, Limits, Policy } from './policy-schema.ts';
import type { FullGatePolicy } from './policy.ts';

/** One task, or one reviewer, as data. */
export interface TaskPlan {
  readonly name: string;
  readonly description: string;
  /** Tasks of the same phase that must finish first. */
  readonly after: readonly string[];
  /** Tries in all, the first included. */
  readonly attempts: Count;
  readonly backoff: Backoff;
  /** Milliseconds per try; 0 for no limit. */
  readonly timeout: number;
  readonly estimate: Estimate;
  /** The version of its functions, as its author sets it; absent if there is none. */
  readonly version?: string | undefined;
}

/** One gate as data. */
export interface GatePlan extends FullGatePolicy {
  readonly checks: readonly string[];
  /** Checks that also run before the tasks first work; absent if there are none. */
  readonly baseline?: readonly string[] | undefined;
  readonly reviewers: readonly TaskPlan[];
  /** The task that reflects on attempts that were sent back; absent if there is none. */
  readonly reflect?: TaskPlan | undefined;
  /** Number of reviewers that must approve. */
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
  /** Artifacts that it subscribes to, in order; absent if there are none. */
  readonly subscribe?: readonly Subscription[] | undefined;
  /** The version of its schema, gate and tasks; absent if it has none. */
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
  /** Limits given to this run in addition to those of its pipeline: `limits` has the smaller of both. Absent if none were given. */
  readonly runLimits?: Limits | undefined;
  /** The inbox policy for a limit that holds the run; absent if the policy sets none. */
  readonly inbox?: InboxPolicy | undefined;
  /** The version of all its functions; absent if it has none. */
  readonly version?: string | undefined;
}

/**
 * Returns the identity of a plan: equal for equal plans, in any order of keys. Computed once per plan.
 *
 * It covers all data: names, order, dependencies, descriptions, limits, gate options, names of checks and reviewers, versions. It
 * covers no function and no schema.
 *
 * Phases are hashed one by one after the rest: one text of a plan with many phases would fill the memory.
 */
export function fingerprint(plan: Plan): string {
  const known = fingerprints.get(plan);
  if (known) return known;
  const { phases, ...rest } = plan;
  const made = hashOf([rest, ...phases], phaseWriter());
  fingerprints.set(plan, made);
  return made;
}

/**
 * Returns the fingerprint of a plan, given another plan that was stored with its fingerprint. Comparing the plans is faster than
 * hashing one, and equal plans have equal fingerprints.
 */
export function fingerprintLike(plan: Plan, kept: { readonly plan: Plan; readonly fingerprint: string }): string {
  return isSameJson(plan, kept.plan) ? kept.fingerprint : fingerprint(plan);
}

/** Returns the graph of a plan's phases. Computed once per plan. */
export function planGraph(plan: Plan): Graph {
  const known = graphs.get(plan) ?? graphOf(plan.phases);
  graphs.set(plan, known);
  return known;
}

// --- internal ---

const fingerprints = new WeakMap<Plan, string>();
const graphs = new WeakMap<Plan, Graph>();
