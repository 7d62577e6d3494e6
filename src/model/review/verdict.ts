/**
 * From what reviewers said to what the gate says.
 *
 * @module
 */
import { bounded } from '../decision/bounded-decision.ts';
import { parseDecision, readDecisionText } from '../decision/decision-text.ts';
import { decisionSchema, isNegative, type Decision } from '../decision/decision.ts';
import { isAstray, phaseOf, withIds, type Issue } from '../decision/issue.ts';
import { errorInfo, PhasegateError } from '../errors/phasegate-error.ts';
import type { Verdict } from '../events/event.ts';
import type { GatePlan } from '../plan/plan.ts';
import { joinDemands } from '../revision/revision.ts';
import { elided, TEXT_LIMITS } from '../values/text-limits.ts';
import { isBroken, noDecision, readCodeDecision, targetInvalid, type Seat } from './code-decision.ts';

/**
 * Reads one reviewer's answer: text by the text protocol, all else as a decision that code has made. Texts of the verdict are as long as
 * records keep them. Never throws.
 */
export function readAnswer(answer: unknown, seat: Seat): Verdict {
  if (typeof answer === 'string') return readText(answer, seat);
  if ((answer ?? null) === null && seat.gate.onUnrecognised === 'approve') return readText('', seat);
  const decision = readCodeDecision(answer, seat);
  return decision.type === 'unavailable' ? decision : sure(bounded(decision, seat.phases), seat);
}

/** Whether a verdict is a retry only because its text names no phase that can be read. */
export function isNameless(answer: unknown, verdict: Verdict, { phases }: Seat): boolean {
  return verdict.type === 'retry' && typeof answer === 'string' && readDecisionText(answer, { phases }).isNameless;
}

/** Reads what a person has said who is a reviewer, which was judged when they said it. They may bring outputs as well. */
export function readPersonsAnswer(answer: unknown, seat: Seat): Verdict {
  const { outputs: _, ...said }: { readonly outputs?: unknown } = typeof answer === 'object' ? (answer ?? {}) : {};
  const parsed = decisionSchema.safeParse(said);
  return parsed.success ? sure(parsed.data, seat) : { type: 'unavailable', error: errorInfo(noDecision(answer, seat)) };
}

/**
 * What follows from a handler of a reviewer that threw: the review may be asked for again, but where it has made a decision that can never be one.
 */
export function readThrown(thrown: unknown): Verdict {
  const error = errorInfo(thrown);
  const isOurs = PhasegateError.is(thrown) && thrown.code === 'DECISION_INVALID';
  return { type: 'unavailable', error: isOurs ? { ...error, permanent: true } : error };
}
/**
 * What several reviewers said, as one verdict.
 *
 * An answer of code that is no decision comes first. Then enough approvals approve. Otherwise a missing answer is asked for again; then a rejection wins over an escalation,
 * that over sending back a phase (the earliest in the pipeline), that over a retry, that over sending back one that may
 * not be. Feedback of the same kind is joined, and issues of all of them: a demand with issues is one on the earliest phase
 * that one of them is about.
 *
 * @param own The phase under review.
 */
export function combine(verdicts: Readonly<Record<string, Verdict>>, gate: GatePlan, own: string): Verdict {
  const all = gate.reviewers.flatMap((reviewer) => verdicts[reviewer.name] ?? []);
  const broken = all.find(isBroken);
  if (broken) return broken;
  const [first] = all;
  if (all.length === 1 && first && !hasIssues(first)) return first;
  const approvals = all.filter((one) => approves(one, gate));
  const clear = approvals.filter((one) => one.type === 'approve');
  if (clear.length >= gate.quorum) return clear[0] ?? APPROVE;
  if (approvals.length >= gate.quorum) return approvals.find((one) => one.type !== 'approve') ?? APPROVE;
  const missing = missingOf(all, gate, approvals.length);
  if (missing) return missing;
  const decisions = all.flatMap((one) => decisionIn(one) ?? []);
  return (
    ending(decisions, 'reject') ??
    ending(decisions, 'escalate') ??
    routed(
      decisions.flatMap((one) => (isDemand(one) ? one : [])),
      gate,
      own,
    ) ??
    APPROVE
  );
}

/**
 * Demands as one: it sends back the earliest phase that is named, or that an issue is about, where that may be sent back; else
 * the phase under review; else the first phase that is named and may not be. `undefined` where there are none.
 */
export function routed(
  demands: readonly Demand[],
  gate: Pick<GatePlan, 'targets' | 'onInvalidTarget'>,
  own: string,
): Demand | undefined {
  const issues = withIds(
    demands.flatMap((one) => one.issues ?? []),
    (issue) => phaseOf(issue, own, gate.targets),
  );
  const concerns = (one: Demand, phase: string) =>
    (one.type === 'retryPredecessor' && one.phase === phase) ||
    (one.issues ?? []).some((issue) => phaseOf(issue, own, gate.targets) === phase);
  const astray =
    gate.onInvalidTarget === 'escalate' ? issues.find((one) => isAstray(one, own, gate.targets)) : undefined;
  const phase = astray?.affectedPhase ?? gate.targets.find((name) => demands.some((one) => concerns(one, name)));
  if (phase !== undefined) {
    return {
      type: 'retryPredecessor',
      phase,
      ...join(astray ? demands : demands.filter((one) => concerns(one, phase)), issues),
    };
  }
  const retries = demands.filter((one) => one.type === 'retry' || concerns(one, own));
  if (retries.length > 0) return { type: 'retry', ...join(retries, issues) };
  const [first] = demands;
  if (first?.type !== 'retryPredecessor') return undefined;
  const same = demands.filter((one) => one.type === 'retryPredecessor' && one.phase === first.phase);
  return { type: 'retryPredecessor', phase: first.phase, ...join(same, issues) };
}

/** The decision in a verdict, where there is one. */
export function decisionIn(verdict: Verdict | undefined): Decision | undefined {
  const isNone =
    !verdict || verdict.type === 'unrecognised' || verdict.type === 'unavailable' || verdict.type === 'inconclusive';
  return isNone ? undefined : verdict;
}

/** A decision that asks for changes. */
export type Demand = Extract<Decision, { readonly feedback: string }>;

/** Whether a verdict asks for changes. */
export function isDemand(verdict: Verdict): verdict is Demand {
  return verdict.type === 'retry' || verdict.type === 'retryPredecessor';
}

/** True for an answer that has to be asked for again. */
export function isMissing(verdict: Verdict, onUnrecognised: GatePlan['onUnrecognised']): boolean {
  if (verdict.type === 'unrecognised') return onUnrecognised === 'ask';
  return verdict.type === 'unavailable' || verdict.type === 'inconclusive';
}

/** True for an answer that cannot be had, however often it is asked for. */
export function isPermanent(verdict: Verdict): boolean {
  return verdict.type === 'unavailable' && verdict.error.permanent === true;
}

// --- internal ---

/** A decision that is sure enough to count. */
function sure(decision: Decision, { gate: { minConfidence } }: Seat): Verdict {
  const unsure = decision.confidence !== undefined && decision.confidence <= minConfidence && minConfidence > 0;
  return unsure && isNegative(decision) ? { type: 'inconclusive', decision } : decision;
}

/** Words that send back a phase that they may not are a slip of whoever wrote them: another answer may be better. */
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

/** Of a text that long no part says for sure what the whole says. */
function tooLong(length: number, { reviewer, phase }: Seat): PhasegateError {
  const most = TEXT_LIMITS.verdictText;
  const problem = `Cannot read the answer of reviewer "${reviewer}" of phase "${phase}" as it has ${length} characters, more than ${most}`;
  return new PhasegateError('TEXT_TOO_LONG', problem, {
    hint: 'The gate asks again by itself (`maxReviewErrors`). Have the reviewer answer with little more than its verdict.',
  });
}

const APPROVE: Decision = { type: 'approve' };

/**
 * The answer for whose sake a review is asked again: the one that asks for the longest wait. It is one that cannot be had where
 * those that can are too few to approve.
 */
function missingOf(all: readonly Verdict[], gate: GatePlan, approvals: number): Verdict | undefined {
  const missing = all.filter((one) => isMissing(one, gate.onUnrecognised));
  const open = missing.filter((one) => !isPermanent(one));
  if (approvals + open.length < gate.quorum) return missing.find(isPermanent) ?? longest(open);
  return longest(open);
}

/** The first of those that ask for the longest wait. */
function longest(missing: readonly Verdict[]): Verdict | undefined {
  const waits = missing.map((one) => (one.type === 'unavailable' ? (one.error.retryAfterMs ?? 0) : 0));
  return missing[waits.indexOf(Math.max(...waits))];
}

/** The first decision that ends the review in one way, with the reasons of all that do. */
function ending(decisions: readonly Decision[], type: 'reject' | 'escalate'): Decision | undefined {
  const all = decisions.flatMap((one) => (one.type === type ? one : []));
  const [first, another] = all;
  if (!first || !another) return first;
  return { ...first, reason: all.flatMap(({ reason }) => (reason === '' ? [] : reason)).join('\n\n') };
}

function approves(verdict: Verdict, gate: GatePlan): boolean {
  return verdict.type === 'approve' || (verdict.type === 'unrecognised' && gate.onUnrecognised === 'approve');
}

function hasIssues(verdict: Verdict): boolean {
  return isDemand(verdict) && (verdict.issues?.length ?? 0) > 0;
}

function join(
  demands: readonly Demand[],
  issues: readonly Issue[],
): Pick<Demand, 'feedback' | 'requiredChange' | 'score' | 'issues' | 'confidence'> {
  const scores = demands.flatMap((one) => one.score ?? []);
  const [only, another] = demands;
  return {
    ...joinDemands(demands),
    ...(only?.confidence !== undefined && !another && { confidence: only.confidence }),
    ...(scores.length > 0 && { score: Math.min(...scores) }),
    ...(issues.length > 0 && { issues }),
  };
}
