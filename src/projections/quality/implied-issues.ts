/**
 * Demands that bring no issues, as issues: so that every defect of a run is followed from review to review in the same way.
 *
 * @module
 */
import type { Decision } from '../../model/decision/decision.ts';
import { issueId, type Issue } from '../../model/decision/issue.ts';
import type { EventOf, FailedChecks, Verdict } from '../../model/events/event.ts';
import type { Judgement, ReviewFinding } from '../../model/review/open-issues.ts';
import { decisionIn, isDemand, type Demand } from '../../model/review/verdict.ts';

/** What a demand without issues is. */
export type PlainKind = 'feedback' | 'check' | 'rework';

/** Whoever finds something and is no reviewer. No reviewer can have such a name. */
export const CHECKS = '\0checks';
export const WORKER = '\0worker';
export const PERSON = '\0person';

/** What the id of such an issue tells; no kind where it came from a reviewer. */
export function impliedIssue(id: string): { readonly kind: PlainKind | undefined; readonly id: string } {
  const [, kind, rest] = PLAIN.exec(id) ?? [];
  return kind === 'feedback' || kind === 'check' || kind === 'rework'
    ? { kind, id: rest ?? '' }
    : { kind: undefined, id };
}

/**
 * A judgement in which every demand brings issues.
 *
 * A demand of a reviewer that has none is one of its own, of the phase that is sent back, and so is what a task demands; each
 * failed check is one. The same words, and the same check, are the same issue. Whoever does not say it again when asked again has
 * seen it corrected. A person who repeats what reviewers have demanded says of which phase it is; else it is an issue of its own.
 *
 * @param before What is open at the gate.
 */
export function withImpliedIssues(event: EventOf<'review.decided'>, before: readonly ReviewFinding[]): Judgement {
  const { phase, verdict, verdicts, by, failedChecks = [] } = event;
  if (by === 'person') return { by, verdicts, verdict: isDemand(verdict) ? byPerson(verdict, phase, before) : verdict };
  if (by === 'worker') {
    const demand = isDemand(verdict) ? { [WORKER]: asIssues(verdict, phase, 'rework') } : {};
    return { by: 'gate', verdict, verdicts: demand };
  }
  if (isDemand(verdict) && Object.keys(verdicts).length === 0)
    return { by, verdict, verdicts: { [CHECKS]: byChecks(verdict, failedChecks), [WORKER]: PASSED } };
  const told = Object.entries(verdicts).map(([name, one]) => [name, withIssues(one, name, phase, before)] as const);
  return { by, verdict, verdicts: Object.fromEntries([...told, ...NOTHING_MORE]) };
}

// --- internal ---

const PLAIN = /^\0(\w+):([^]*)$/u;

const PASSED: Decision = { type: 'approve' };

/** The tasks were done, the checks have passed, and what a person wanted was told. */
const NOTHING_MORE = [CHECKS, WORKER, PERSON].map((who) => [who, PASSED] as const);

function asIssues(demand: Demand, own: string, kind: PlainKind): Demand {
  if ((demand.issues ?? []).length > 0) return demand;
  const description = demand.feedback || demand.requiredChange || 'No words.';
  const affectedPhase = demand.type === 'retry' ? own : demand.phase;
  return {
    ...demand,
    issues: [plainIssue(kind, issueId({ category: kind, severity, description }), description, affectedPhase)],
  };
}

/** It counts for nothing: who made the demand gave none. */
const severity = 'medium';

function plainIssue(kind: PlainKind, id: string, description: string, affectedPhase?: string): Issue {
  const issue: Issue = { id: `\0${kind}:${id}`, severity, description };
  return affectedPhase === undefined ? issue : { ...issue, affectedPhase };
}

function byPerson(demand: Demand, own: string, before: readonly ReviewFinding[]): Demand {
  const affectedPhase = demand.type === 'retry' ? own : demand.phase;
  const repeated = before.flatMap(({ id, issues }) =>
    impliedIssue(id).kind === 'feedback' ? issues.filter((one) => demand.feedback.includes(one.description)) : [],
  );
  if (repeated.length === 0 || (demand.issues ?? []).length > 0) return asIssues(demand, own, 'feedback');
  return { ...demand, issues: repeated.map((one) => ({ ...one, affectedPhase })) };
}

/** A reviewer that speaks of earlier findings cannot know what a demand of its own without issues is called. */
function withIssues(verdict: Verdict, reviewer: string, own: string, before: readonly ReviewFinding[]): Verdict {
  const decision = decisionIn(verdict);
  if (!decision || !isDemand(decision)) return verdict;
  const demand = asIssues(decision, own, 'feedback');
  if (!demand.priorFindings) return demand;
  const unnamed = before
    .filter((one) => one.reviewer === reviewer && impliedIssue(one.id).kind !== undefined)
    .map(({ id }) => ({ id, status: 'fixed' as const }));
  return { ...demand, priorFindings: [...demand.priorFindings, ...unnamed] };
}

/** An issue for each check that has failed; one without a name where the record does not say which. */
function byChecks(demand: Demand, failed: FailedChecks): Demand {
  if (failed.length === 0) return asIssues(demand, '', 'check');
  return { ...demand, issues: failed.map(({ name, details }) => plainIssue('check', name, details)) };
}
