/**
 * The decision table, read from top to bottom (rules 8 to 10).
 *
 * @module
 */
import type { GateSpec } from './scenario.ts';
import { isLost, isMissing, type Verdict } from './review.ts';
import { allowedTargets, isAbove } from './targets.ts';
import type { Phase } from './world.ts';

export type DecidedBy = 'gate' | 'worker' | 'person';

/** What follows from a verdict. */
export type Judgement =
  | { readonly to: 'askAgain' }
  | { readonly to: 'approved'; readonly because: 'approved' }
  | {
      readonly to: 'approved';
      readonly because: 'unrecognised' | 'exhausted' | 'invalidTarget';
      readonly warning: string;
    }
  | { readonly to: 'retrying'; readonly feedback: string }
  | { readonly to: 'rewinding'; readonly target: string; readonly feedback: string }
  | { readonly to: 'rejected' }
  | { readonly to: 'escalated'; readonly because: 'requested' | 'exhausted' | 'invalidTarget' | 'reviewUnavailable' }
  | { readonly to: 'failed'; readonly code: string };

/** Judges a verdict on a phase whose review was asked for so many times in this attempt. */
export function judge(phase: Phase, verdict: Verdict, by: DecidedBy, asked: number, attended: boolean): Judgement {
  const { gate } = phase;
  if (!gate) return { to: 'failed', code: 'REWORK_IMPOSSIBLE' };
  if (isMissing(gate, verdict)) {
    if (!isLost(verdict) && asked - 1 < count(gate.maxReviewErrors, 3)) return { to: 'askAgain' };
    if (attended) return { to: 'escalated', because: 'reviewUnavailable' };
    return { to: 'failed', code: 'REVIEW_UNAVAILABLE' };
  }
  const isFree = by === 'person';
  switch (verdict.type) {
    case 'approve':
      return { to: 'approved', because: 'approved' };
    case 'unrecognised':
      return { to: 'approved', because: 'unrecognised', warning: 'UNRECOGNISED' };
    case 'retry':
      if (isFree || phase.retries < count(gate.maxRetries, 2)) return { to: 'retrying', feedback: verdict.feedback };
      return exhausted(gate);
    case 'retryPredecessor': {
      const { phase: target, feedback } = verdict;
      // A person may send back whatever is upstream: their answer never turns into an approval.
      const isAllowed = isFree ? isAbove(phase, target) : allowedTargets(phase, gate).has(target);
      const spent = phase.spent.get(target) ?? 0;
      if (isAllowed && (isFree || spent < count(gate.maxPredecessorRetries, 2))) {
        return { to: 'rewinding', target, feedback };
      }
      if (by === 'worker') return { to: 'failed', code: 'REWORK_IMPOSSIBLE' };
      if (isAllowed) return exhausted(gate);
      if (gate.onInvalidTarget === 'escalate') return { to: 'escalated', because: 'invalidTarget' };
      return { to: 'approved', because: 'invalidTarget', warning: 'INVALID_TARGET' };
    }
    case 'reject':
      return { to: 'rejected' };
    case 'escalate':
      return { to: 'escalated', because: 'requested' };
    case 'unavailable':
    case 'inconclusive':
      throw new Error('a missing verdict was judged above');
  }
}

// --- internal ---

function count(value: number | 'unlimited' | undefined, fallback: number): number {
  return value === 'unlimited' ? Infinity : (value ?? fallback);
}

function exhausted(gate: GateSpec): Judgement {
  switch (gate.onExhausted ?? 'accept') {
    case 'accept':
    case 'acceptBest':
      return { to: 'approved', because: 'exhausted', warning: 'EXHAUSTED' };
    case 'escalate':
      return { to: 'escalated', because: 'exhausted' };
    case 'reject':
      return { to: 'rejected' };
  }
}
