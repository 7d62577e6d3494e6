/**
 * Gates as data.
 *
 * @module
 */
import { z } from 'zod';
import { questionOf } from '../handlers/human.ts';
import type { AnyReview, PhaseSettings } from '../handlers/phase.ts';
import type { GatePlan, TaskPlan } from '../plan/plan.ts';
import { gatePolicySchema, type Policy } from '../plan/policy-schema.ts';
import type { FullGatePolicy } from '../plan/policy.ts';
import { namesAbove, namesInOrder, type Graph } from '../values/graph.ts';
import { listOf, planTask } from './plan-task.ts';
import { longReview, namesOf, reflectorOf, reviewersOf } from './shorthand.ts';

/** The parts that the gates of a pipeline have in common. */
export interface CommonGate {
  /** The options of each gate whose phase does not set them. */
  readonly options: FullGatePolicy;
  /** The only reviewer of each gate that is a function alone, and asks no person. */
  readonly reviewers: readonly TaskPlan[];
}

/** Returns the common parts of gates under a policy. */
export function commonGate(policy: Policy, defaults: FullGatePolicy): CommonGate {
  const rewindTo = policy.rewindTo && { rewindTo: policy.rewindTo };
  return {
    options: Object.assign({}, defaults, gateOptionsOf(policy), rewindTo),
    reviewers: planReviewers({ by: () => 'APPROVE' }),
  };
}

/**
 * Returns a valid gate without its functions, frozen.
 *
 * @param index Number of its phase in the graph.
 * @param after Names of its predecessors.
 */
export function planGate(
  review: NonNullable<PhaseSettings['review']>,
  common: CommonGate,
  graph: Graph,
  index: number,
  after: readonly string[],
): GatePlan {
  if (typeof review === 'function' && !questionOf({ run: review })) {
    const targets = targetsOf(common.options.rewindTo, graph, index, after);
    return Object.freeze(gateOf(common.options, listOf([]), common.reviewers, 1, common.options.rewindTo, targets));
  }
  const options = longReview(review);
  const reviewers = planReviewers(options);
  const reflector = reflectorOf(options);
  const { quorum = 'all', checks = [] } = options;
  const baseline = checks.flatMap((check) => (check.baseline ? check.name : []));
  const set = gateOptionsOf(options);
  const own = set ? Object.assign({}, common.options, set) : common.options;
  const rewindTo = options.rewindTo ?? common.options.rewindTo;
  const gate = gateOf(
    own,
    listOf(checks.map((check) => check.name)),
    reviewers,
    quorum === 'all' ? reviewers.length : quorum,
    rewindTo === 'predecessors' ? 'predecessors' : 'ancestors',
    targetsOf(rewindTo, graph, index, after),
  );
  if (baseline.length > 0) Object.assign(gate, { baseline: listOf(baseline) });
  if (reflector) Object.assign(gate, { reflect: planTask(reflector) });
  return Object.freeze(gate);
}

// --- internal ---

function planReviewers(options: AnyReview): readonly TaskPlan[] {
  return Object.freeze(reviewersOf(options).map((one) => planTask(one)));
}

function gateOf(
  own: FullGatePolicy,
  checks: readonly string[],
  reviewers: readonly TaskPlan[],
  quorum: number,
  rewindTo: GatePlan['rewindTo'],
  targets: readonly string[],
): GatePlan {
  // A literal with all names: of an object that gets so many properties one by one, V8 makes a slow dictionary.
  // Sorted names make its fingerprint faster.
  const gate: GatePlan = {
    approval: own.approval,
    checks,
    inbox: own.inbox,
    invalidate: own.invalidate,
    layout: own.layout,
    loopAfter: own.loopAfter,
    maxPredecessorRetries: own.maxPredecessorRetries,
    maxPromptGrowth: own.maxPromptGrowth,
    maxRetries: own.maxRetries,
    maxReviewErrors: own.maxReviewErrors,
    maxRevisionChars: own.maxRevisionChars,
    minConfidence: own.minConfidence,
    onExhausted: own.onExhausted,
    onInvalidTarget: own.onInvalidTarget,
    onUnrecognised: own.onUnrecognised,
    quorum,
    regate: own.regate,
    reviewBackoff: own.reviewBackoff,
    reviewers,
    rewindTo,
    strategy: own.strategy,
    targets,
  };
  if (own.onReviewUnavailable) Object.assign(gate, { onReviewUnavailable: own.onReviewUnavailable });
  return gate;
}

const gateOptionsSchema = z.object(gatePolicySchema.omit({ rewindTo: true }).shape);

/** Returns only the options of a gate, and only those that are set; `undefined` if none is. */
function gateOptionsOf(options: object) {
  const set = Object.entries(options).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(gateOptionsSchema.shape, name),
  );
  return set.length === 0 ? undefined : gateOptionsSchema.parse(Object.fromEntries(set));
}

/** Returns the phases that may be sent back, in topological order. */
function targetsOf(
  rewindTo: NonNullable<AnyReview['rewindTo']>,
  graph: Graph,
  index: number,
  after: readonly string[],
): readonly string[] {
  if (rewindTo === 'predecessors')
    return after.length < 2 ? after : listOf(namesInOrder(graph, graph.before[index] ?? []));
  const above = namesAbove(graph, index);
  if (rewindTo === 'ancestors') return listOf(above);
  const allowed = new Set(namesOf(rewindTo));
  return listOf(above.filter((name) => allowed.has(name)));
}
