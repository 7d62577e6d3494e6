/**
 * From what reviewers said to what the gate says.
 *
 * @module
 */
import { decisionSchema, isNegative, type Decision } from './decision.ts';
import { parseDecision } from './decision-text.ts';
import { errorInfo, PhasegateError } from './errors.ts';
import type { Verdict } from './event.ts';
import type { GatePlan } from './plan.ts';
import { joinDemands } from './revision.ts';

/**
 * Reads one reviewer's answer: text by the text protocol, an object by the schema. Never throws.
 *
 * @param phases The names of all phases, also of those that may not be sent back, so that none is taken for another.
 */
export function readAnswer(answer: unknown, minConfidence: number, phases: readonly string[]): Verdict {
  if (typeof answer === 'string' || answer === null || answer === undefined) return parseDecision(answer, { phases });
  const parsed = decisionSchema.safeParse(answer);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
    return { type: 'unavailable', error: errorInfo(malformed(lines)) };
  }
  const decision = parsed.data;
  const unsure = decision.confidence !== undefined && decision.confidence <= minConfidence && minConfidence > 0;
  return unsure && isNegative(decision) ? { type: 'inconclusive', decision } : decision;
}

/**
 * What several reviewers said, as one verdict.
 *
 * Enough approvals approve. Otherwise a missing answer is asked for again; then a rejection wins over an escalation,
 * that over sending back a phase (the earliest in the pipeline), that over a retry, that over sending back one that may
 * not be. Feedback of the same kind is joined.
 */
export function combine(verdicts: Readonly<Record<string, Verdict>>, gate: GatePlan): Verdict {
  const all = gate.reviewers.flatMap((reviewer) => verdicts[reviewer.name] ?? []);
  const [first] = all;
  if (all.length === 1 && first) return first;
  const approvals = all.filter((one) => approves(one, gate));
  const clear = approvals.filter((one) => one.type === 'approve');
  if (clear.length >= gate.quorum) return clear[0] ?? APPROVE;
  if (approvals.length >= gate.quorum) return approvals.find((one) => one.type !== 'approve') ?? APPROVE;
  const missing = all.find((one) => isMissing(one, gate.onUnrecognised));
  if (missing) return missing;
  const decisions = all.flatMap((one) => (isDecision(one) ? one : []));
  return (
    decisions.find((one) => one.type === 'reject') ??
    decisions.find((one) => one.type === 'escalate') ??
    joinRewinds(decisions, gate, true) ??
    joinRetries(decisions) ??
    joinRewinds(decisions, gate, false) ??
    APPROVE
  );
}

/** True for an answer that has to be asked for again. */
export function isMissing(verdict: Verdict, onUnrecognised: GatePlan['onUnrecognised']): boolean {
  if (verdict.type === 'unrecognised') return onUnrecognised === 'ask';
  return verdict.type === 'unavailable' || verdict.type === 'inconclusive';
}

// --- internal ---

const APPROVE: Decision = { type: 'approve' };

function approves(verdict: Verdict, gate: GatePlan): boolean {
  return verdict.type === 'approve' || (verdict.type === 'unrecognised' && gate.onUnrecognised === 'approve');
}

function isDecision(verdict: Verdict): verdict is Decision {
  return verdict.type !== 'unrecognised' && verdict.type !== 'unavailable' && verdict.type !== 'inconclusive';
}

/** The rewinds to one target: the earliest that is allowed, or the first that is not. */
function joinRewinds(decisions: readonly Decision[], gate: GatePlan, allowed: boolean): Decision | undefined {
  const rewinds = decisions.flatMap((one) => (one.type === 'retryPredecessor' ? one : []));
  const ranked = gate.targets.find((name) => rewinds.some((one) => one.phase === name));
  const phase = allowed ? ranked : rewinds[0]?.phase;
  return phase === undefined
    ? undefined
    : { type: 'retryPredecessor', phase, ...join(rewinds.filter((one) => one.phase === phase)) };
}

function joinRetries(decisions: readonly Decision[]): Decision | undefined {
  const retries = decisions.flatMap((one) => (one.type === 'retry' ? one : []));
  return retries.length === 0 ? undefined : { type: 'retry', ...join(retries) };
}

type Demand = Extract<Decision, { readonly feedback: string }>;

function join(demands: readonly Demand[]): Pick<Demand, 'feedback' | 'requiredChange' | 'score'> {
  const scores = demands.flatMap((one) => one.score ?? []);
  return { ...joinDemands(demands), ...(scores.length > 0 && { score: Math.min(...scores) }) };
}

function malformed(lines: readonly string[]): PhasegateError {
  return new PhasegateError(
    'DECISION_INVALID',
    `Cannot read the reviewer's answer as it is not a decision:\n  ${lines.join('\n  ')}`,
    {
      hint: 'Return approve(), retry(...), retryPredecessor(...), reject(...), escalate(...), or text such as "RETRY: <feedback>".',
    },
  );
}
