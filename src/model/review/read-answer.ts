/**
 * Reading of reviewers' answers as verdicts.
 *
 * @module
 */
import { bounded } from '../decision/bounded-decision.ts';
import { parseDecision, readDecisionText } from '../decision/decision-text.ts';
import { decisionSchema, isNegative, type Decision } from '../decision/decision.ts';
import { errorInfo, hasCode, PhasegateError } from '../errors/phasegate-error.ts';
import type { Verdict } from '../events/event.ts';
import { elided, TEXT_LIMITS } from '../values/text-limits.ts';
import { noDecision, readCodeDecision, targetInvalid, type Seat } from './code-decision.ts';

/**
 * Reads one reviewer's answer: text by the text protocol, anything else as a decision made by code. Texts of the verdict are cut to
 * the length that records store. Never throws.
 */
export function readAnswer(answer: unknown, seat: Seat): Verdict {
  if (typeof answer === 'string') return readText(answer, seat);
  if ((answer ?? null) === null && seat.gate.onUnrecognised === 'approve') return readText('', seat);
  const decision = readCodeDecision(answer, seat);
  return decision.type === 'unavailable' ? decision : unlessUnsure(bounded(decision, seat.phases), seat);
}

/** True if a verdict is a retry only because its text names no readable phase. */
export function isNameless(answer: unknown, verdict: Verdict, { phases }: Seat): boolean {
  return verdict.type === 'retry' && typeof answer === 'string' && readDecisionText(answer, { phases }).isNameless;
}

/** Reads the answer of a person who is a reviewer. It was validated when it was given. It may contain outputs as well. */
export function readPersonsAnswer(answer: unknown, seat: Seat): Verdict {
  const { outputs: _, ...said }: { readonly outputs?: unknown } = typeof answer === 'object' ? (answer ?? {}) : {};
  const parsed = decisionSchema.safeParse(said);
  return parsed.success
    ? unlessUnsure(parsed.data, seat)
    : { type: 'unavailable', error: errorInfo(noDecision(answer, seat)) };
}

/**
 * Converts an error that a reviewer's handler threw into a verdict. The review may be asked again, unless the handler has made an
 * invalid decision.
 */
export function readThrown(thrown: unknown): Verdict {
  const error = errorInfo(thrown);
  const isOurs = hasCode(thrown, 'DECISION_INVALID');
  return { type: 'unavailable', error: isOurs ? { ...error, permanent: true } : error };
}

// --- internal ---

/** Turns an unsure negative decision into an inconclusive verdict. */
function unlessUnsure(decision: Decision, { gate: { minConfidence } }: Seat): Verdict {
  const unsure = decision.confidence !== undefined && decision.confidence <= minConfidence && minConfidence > 0;
  return unsure && isNegative(decision) ? { type: 'inconclusive', decision } : decision;
}

/** Reads text. If it sends back a phase that it may not, that is a slip of its author: the gate may ask again. */
function readText(text: string, seat: Seat): Verdict {
  const { gate, phases } = seat;
  if (text.length > TEXT_LIMITS.verdictText)
    return { type: 'unavailable', error: errorInfo(tooLong(text.length, seat)) };
  const place = gate.onUnrecognised === 'ask' ? 'ends' : 'anywhere';
  const parsed = parseDecision(text, { phases, place });
  if (parsed.type === 'unrecognised') return { type: 'unrecognised', text: elided(text, TEXT_LIMITS.feedback) };
  const verdict = bounded(parsed, phases);
  const isBeyond = verdict.type === 'retryPredecessor' && !gate.targets.includes(verdict.phase);
  if (!isBeyond || gate.onInvalidTarget !== 'ask') return verdict;
  return { type: 'unavailable', error: errorInfo(targetInvalid(verdict.phase, seat)) };
}

/** Refuses a text that is too long: no part of it reliably has the verdict of the whole. */
function tooLong(length: number, { reviewer, phase }: Seat): PhasegateError {
  const most = TEXT_LIMITS.verdictText;
  const problem = `Cannot read the answer of reviewer "${reviewer}" of phase "${phase}" as it has ${length} characters, more than ${most}`;
  return new PhasegateError('TEXT_TOO_LONG', problem, {
    hint: 'The gate asks again by itself (`maxReviewErrors`). Have the reviewer answer with little more than its verdict.',
  });
}
