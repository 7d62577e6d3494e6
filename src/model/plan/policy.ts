/**
 * Options of gates, their defaults, and presets that reproduce well-known ways of working.
 *
 * @module
 */
import type { Count, GatePolicy, Policy } from './policy-schema.ts';

/** Gate options with every default filled in. */
export type FullGatePolicy = {
  readonly [K in Exclude<keyof GatePolicy, 'onReviewUnavailable'>]-?: Exclude<GatePolicy[K], undefined>;
} & Pick<GatePolicy, 'onReviewUnavailable'>;

/** The options of a gate if neither the phase nor the pipeline sets them. */
export const gateDefaults: FullGatePolicy = {
  maxRetries: 2,
  maxPredecessorRetries: 2,
  loopAfter: 2,
  onExhausted: 'reject',
  onUnrecognised: 'ask',
  onInvalidTarget: 'ask',
  maxReviewErrors: 3,
  reviewBackoff: Object.freeze({}),
  minConfidence: 0.6,
  approval: Object.freeze({ maxSeverity: 'medium', minConfidence: 0 } as const),
  rewindTo: 'predecessors',
  invalidate: 'requester',
  regate: true,
  layout: 'ensemble',
  strategy: 'feedback',
  maxRevisionChars: 32_000,
  maxPromptGrowth: 3,
  inbox: Object.freeze({}),
};

/** Presets. Four reproduce one published way of working each; `strict` adds people to the defaults. */
export const policies = {
  /**
   * Agent ensembles: a spent budget accepts, and text without a verdict or with a target that is not allowed approves. A phase that
   * is sent back does not pass its gate again. Only under this preset can a gate open without an approval.
   */
  ensemble: { onExhausted: 'accept', onUnrecognised: 'approve', onInvalidTarget: 'approve', regate: false },
  /** Coding fleets: rejection first, three attempts, then a person; a reviewer that cannot answer never rejects. */
  fleet: {
    layout: 'rejection-first',
    maxRetries: 2,
    onExhausted: 'escalate',
    onUnrecognised: 'ask',
    onInvalidTarget: 'escalate',
  },
  /** Team software process: defects go back to the phase that made them, and everything below it runs again. */
  tsp: {
    maxRetries: 3,
    maxPredecessorRetries: 3,
    rewindTo: 'ancestors',
    invalidate: 'all',
    onExhausted: 'escalate',
    onLimit: 'escalate',
    limits: { perPair: 3, corrections: 10 },
  },
  /** Phased execution: one retry from a fresh context, then everything halts. No earlier phase works again. */
  phased: { maxRetries: 1, maxPredecessorRetries: 0, onExhausted: 'reject', onFailure: 'halt' },
  /** The defaults with people: a person decides instead of the run ending for lack of an approval. */
  strict: {
    onExhausted: 'escalate',
    onUnrecognised: 'ask',
    onInvalidTarget: 'escalate',
    onReviewUnavailable: 'escalate',
    invalidate: 'changed',
    onLimit: 'escalate',
    approval: { minConfidence: 0.6, maxSeverity: 'low' },
  },
} as const satisfies Readonly<Record<string, Policy>>;

/** True if a strategy carries reflections, so that rejected attempts are reflected on. */
export function reflects(strategy: FullGatePolicy['strategy']): boolean {
  return strategy === 'reflexion' || strategy === 'lastAttemptAndReflexion';
}

/** True if a sum is over its limit by more than a rounding error. Without a limit never true. */
export function isOver(sum: number, max: number | undefined): boolean {
  return max !== undefined && sum - max > max * 1e-9;
}

/** True if nothing of a limit is left but a rounding error. Without a limit never true. */
export function isUsedUp(sum: number, max: number | undefined): boolean {
  return max !== undefined && max - sum <= max * 1e-9;
}

/** Converts a count to a number; `Infinity` if it is unlimited. */
export function countOf(value: Count): number {
  return value === 'unlimited' ? Infinity : value;
}
