/**
 * Gates as data.
 *
 * @module
 */
import { z } from 'zod';
import type { AnyReview } from '../handlers/phase.ts';
import type { GatePlan } from '../plan/plan.ts';
import { gatePolicySchema, type Policy } from '../plan/policy-schema.ts';
import type { FullGatePolicy } from '../plan/policy.ts';
import { namesAbove, namesInOrder, type Graph } from '../values/graph.ts';
import { listOf, planTask } from './plan-task.ts';
import { namesOf, reflectorOf, reviewersOf } from './shorthand.ts';

/** Returns the options of each gate whose phase does not set them. */
export function generalOf(policy: Policy, defaults: FullGatePolicy): FullGatePolicy {
  return Object.assign({}, defaults, gateOptionsOf(policy), policy.rewindTo && { rewindTo: policy.rewindTo });
}

/** Returns a valid gate without its functions, frozen. @param index Number of its phase in the graph. */
export function planGate(options: AnyReview, general: FullGatePolicy, graph: Graph, index: number): GatePlan {
  const reviewers = reviewersOf(options).map((one) => planTask(one));
  const reflector = reflectorOf(options);
  const { quorum = 'all', checks = [] } = options;
  const baseline = checks.flatMap((check) => (check.baseline ? check.name : []));
  const set = gateOptionsOf(options);
  const own = set ? Object.assign({}, general, set) : general;
  const rewindTo = options.rewindTo ?? general.rewindTo;
  // A literal with all names: of an object that gets so many properties one by one, V8 makes a slow dictionary.
  // Sorted names make its fingerprint faster.
  const gate: GatePlan = {
    approval: own.approval,
    checks: listOf(checks.map((check) => check.name)),
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
    quorum: quorum === 'all' ? reviewers.length : quorum,
    regate: own.regate,
    reviewBackoff: own.reviewBackoff,
    reviewers: Object.freeze(reviewers),
    rewindTo: rewindTo === 'predecessors' ? 'predecessors' : 'ancestors',
    strategy: own.strategy,
    targets: listOf(targetsOf(rewindTo, graph, index)),
  };
  if (own.onReviewUnavailable) Object.assign(gate, { onReviewUnavailable: own.onReviewUnavailable });
  if (baseline.length > 0) Object.assign(gate, { baseline: listOf(baseline) });
  if (reflector) Object.assign(gate, { reflect: planTask(reflector) });
  return Object.freeze(gate);
}

// --- internal ---

const gateOptionsSchema = z.object(gatePolicySchema.omit({ rewindTo: true }).shape);

/** Returns only the options of a gate, and only those that are set; `undefined` if none is. */
function gateOptionsOf(options: object) {
  const set = Object.entries(options).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(gateOptionsSchema.shape, name),
  );
  return set.length === 0 ? undefined : gateOptionsSchema.parse(Object.fromEntries(set));
}

/** Returns the phases that may be sent back, in topological order. */
function targetsOf(rewindTo: NonNullable<AnyReview['rewindTo']>, graph: Graph, index: number): readonly string[] {
  if (rewindTo === 'predecessors') return namesInOrder(graph, graph.before[index] ?? []);
  const above = namesAbove(graph, index);
  if (rewindTo === 'ancestors') return above;
  const allowed = new Set(namesOf(rewindTo));
  return above.filter((name) => allowed.has(name));
}
