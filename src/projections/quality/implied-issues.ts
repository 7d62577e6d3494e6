/**
 * Conversion of demands without issues into issues, so that every defect of a run is tracked from review to review in the same way.
 *
 * @module
 */
import type { Decision } from '../../model/decision/decision.ts';
import type { Issue } from '../../model/decision/issue-schema.ts';
import { issueId } from '../../model/decision/issue.ts';
import type { EventOf, FailedChecks, Verdict } from '../../model/events/event.ts';
import type { Judgement, ReviewFinding } from '../../model/review/open-issues.ts';
import { decisionIn, isDemand, type Demand } from '../../model/review/verdict.ts';

/** The kinds of demands without issues. */
export type PlainKind = 'feedback' | 'check' | 'rework';

/** Stand-ins for finders that are no reviewers. No reviewer can have such a name. */
export const CHECKS = '\0checks';
export const WORKER = '\0worker';
export const PERSON = '\0person';

/** Reads the id of an implied issue; without a kind if it came from a reviewer. */
export function impliedIssue(id: string): { readonly kind: PlainKind | undefined; readonly id: string } {
  const [, kind, rest] = PLAIN.exec(id) ?? [];
  return kind === 'feedback' || kind === 'check' || kind === 'rework'
    ? { kind, id: rest ?? '' }
    : { kind: undefined, id };
}

/**
 * Adds issues to every demand of a judgement.
 *
 * A reviewer's demand without issues becomes one issue of the phase that is sent back, and so does a task's demand. Each failed check
 * becomes one issue. Equal words, and equal checks, are the same issue. If a finder does not repeat it when asked again, it is corrected.
 * A person who repeats reviewers' demands assigns them to a phase; otherwise the person's demand is a new issue.
 *
 * @param before Open findings of the gate.
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
  const completed = Object.entries(verdicts).map(
    ([name, one]) => [name, withIssues(one, name, phase, before)] as const,
  );
  return { by, verdict, verdicts: Object.fromEntries([...completed, ...NOTHING_MORE]) };
}

// --- internal ---

const PLAIN = /^\0(\w+):([^]*)$/u;

const PASSED: Decision = { type: 'approve' };

/** If reviewers decided, the tasks have ended well, the checks have passed, and a person's demand was delivered. */
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

/** A placeholder that is never counted: the demand has no severity. */
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

/** Adds an issue to a demand, and closes implied findings. A reviewer that lists earlier findings cannot know their implied ids. */
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

/** Makes an issue for each failed check; one without a name if the record does not name them. */
function byChecks(demand: Demand, failed: FailedChecks): Demand {
  if (failed.length === 0) return asIssues(demand, '', 'check');
  return { ...demand, issues: failed.map(({ name, details }) => plainIssue('check', name, details)) };
}
