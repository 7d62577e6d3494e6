/**
 * The decision table, read from top to bottom (rules 8 to 10).
 *
 * @module
 */
import type { GateSpec } from './scenario.ts';
import { isMissing, type Verdict } from './review.ts';
import type { Phase } from './world.ts';

export type DecidedBy = 'gate' | 'worker' | 'person';

/** What follows from a verdict. */
export type Judgement =
  | { readonly then: 'askAgain' }
  | { readonly then: 'approved'; readonly because: 'approved' }
  | {
      readonly then: 'approved';
      readonly because: 'unrecognised' | 'exhausted' | 'invalidTarget';
      readonly warning: string;
    }
  | { readonly then: 'retrying'; readonly feedback: string }
  | { readonly then: 'rewinding'; readonly target: string; readonly feedback: string }
  | { readonly then: 'rejected' }
  | { readonly then: 'escalated'; readonly because: 'requested' | 'exhausted' | 'invalidTarget' | 'reviewUnavailable' }
  | { readonly then: 'failed'; readonly code: string };

/** Judges a verdict on a phase whose review was asked for so many times in this attempt. */
export function judge(phase: Phase, verdict: Verdict, by: DecidedBy, asked: number, attended: boolean): Judgement {
  const { gate } = phase;
  if (!gate) return { then: 'failed', code: 'REWORK_IMPOSSIBLE' };
  if (isMissing(gate, verdict)) {
    if (asked - 1 < count(gate.maxReviewErrors, 3)) return { then: 'askAgain' };
    if (attended) return { then: 'escalated', because: 'reviewUnavailable' };
    return { then: 'failed', code: 'REVIEW_UNAVAILABLE' };
  }
  const isFree = by === 'person';
  switch (verdict.type) {
    case 'approve':
      return { then: 'approved', because: 'approved' };
    case 'unrecognised':
      return { then: 'approved', because: 'unrecognised', warning: 'UNRECOGNISED' };
    case 'retry':
      if (isFree || phase.retries < count(gate.maxRetries, 2)) return { then: 'retrying', feedback: verdict.feedback };
      return exhausted(gate);
    case 'retryPredecessor': {
      const { phase: target, feedback } = verdict;
      const isAllowed = allowedTargets(phase, gate).has(target);
      const spent = phase.spent.get(target) ?? 0;
      if (isAllowed && (isFree || spent < count(gate.maxPredecessorRetries, 2))) {
        return { then: 'rewinding', target, feedback };
      }
      if (by === 'worker') return { then: 'failed', code: 'REWORK_IMPOSSIBLE' };
      if (isAllowed) return exhausted(gate);
      if (gate.onInvalidTarget === 'escalate') return { then: 'escalated', because: 'invalidTarget' };
      return { then: 'approved', because: 'invalidTarget', warning: 'INVALIDTARGET' };
    }
    case 'reject':
      return { then: 'rejected' };
    case 'escalate':
      return { then: 'escalated', because: 'requested' };
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
      return { then: 'approved', because: 'exhausted', warning: 'EXHAUSTED' };
    case 'escalate':
      return { then: 'escalated', because: 'exhausted' };
    case 'reject':
      return { then: 'rejected' };
  }
}

function allowedTargets(phase: Phase, { rewindTo = 'predecessors' }: GateSpec): ReadonlySet<string> {
  if (rewindTo === 'predecessors') return new Set(phase.spec.after);
  const above = [...phase.above].map((one) => one.name);
  return new Set(rewindTo === 'ancestors' ? above : above.filter((name) => rewindTo.includes(name)));
}
