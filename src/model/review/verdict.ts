/**
 * Combination of reviewers' answers into one verdict of the gate.
 *
 * @module
 */
import type { Decision } from '../decision/decision.ts';
import type { Issue } from '../decision/issue-schema.ts';
import { isAstray, phaseOf, withIds } from '../decision/issue.ts';
import type { Verdict } from '../events/event.ts';
import type { GatePlan } from '../plan/plan.ts';
import { joinDemands } from '../revision/revision.ts';

/**
 * Combines the answers of several reviewers into one verdict.
 *
 * The order of precedence:
 * 1. An answer of code that is no decision.
 * 2. Enough approvals.
 * 3. A missing answer, which is asked for again.
 * 4. A rejection.
 * 5. An escalation.
 * 6. Sending back a phase, the earliest in the pipeline first.
 * 7. A retry.
 * 8. Sending back a phase that may not be sent back.
 *
 * Feedback of the same kind is joined, and so are all issues. A demand with issues is aimed at the earliest phase that one of them
 * is about.
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
 * Joins demands into one. It sends back the earliest phase that is named, or that an issue is about, if that may be sent back;
 * otherwise the phase under review; otherwise the first named phase that may not be. `undefined` if there are no demands.
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

/** Returns the decision in a verdict, if there is one. */
export function decisionIn(verdict: Verdict | undefined): Decision | undefined {
  const isNone =
    !verdict || verdict.type === 'unrecognised' || verdict.type === 'unavailable' || verdict.type === 'inconclusive';
  return isNone ? undefined : verdict;
}

/** A decision that asks for changes. */
export type Demand = Extract<Decision, { readonly feedback: string }>;

/** True if a verdict asks for changes. */
export function isDemand(verdict: Verdict): verdict is Demand {
  return verdict.type === 'retry' || verdict.type === 'retryPredecessor';
}

/** True if an answer has to be asked for again. */
export function isMissing(verdict: Verdict, onUnrecognised: GatePlan['onUnrecognised']): boolean {
  if (verdict.type === 'unrecognised') return onUnrecognised === 'ask';
  return verdict.type === 'unavailable' || verdict.type === 'inconclusive';
}

/** True if asking again can never give an answer. */
export function isPermanent(verdict: Verdict): boolean {
  return verdict.type === 'unavailable' && verdict.error.permanent === true;
}

/** True if code has answered with a value that can never be a decision: the phase fails, and nobody is asked again. */
export function isBroken(verdict: Verdict | null): verdict is Extract<Verdict, { type: 'unavailable' }> {
  return verdict?.type === 'unavailable' && verdict.error.permanent === true && BROKEN.has(verdict.error.code);
}

// --- internal ---

const BROKEN: ReadonlySet<string> = new Set(['DECISION_INVALID', 'DECISION_TARGET_INVALID']);

const APPROVE: Decision = { type: 'approve' };

/**
 * Returns the missing answer for which a review is asked again: the one with the longest wait. If the others are too few to
 * approve, it returns one that can never be given.
 */
function missingOf(all: readonly Verdict[], gate: GatePlan, approvals: number): Verdict | undefined {
  const missing = all.filter((one) => isMissing(one, gate.onUnrecognised));
  const open = missing.filter((one) => !isPermanent(one));
  if (approvals + open.length < gate.quorum) return missing.find(isPermanent) ?? longest(open);
  return longest(open);
}

/** Returns the first answer with the longest wait. */
function longest(missing: readonly Verdict[]): Verdict | undefined {
  const waits = missing.map((one) => (one.type === 'unavailable' ? (one.error.retryAfterMs ?? 0) : 0));
  return missing[waits.indexOf(Math.max(...waits))];
}

/** Returns the first decision that ends the review in this way, with the reasons of all of them. */
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
