/**
 * Statements about a defect: its existence, its finder, and the phase that made it.
 *
 * @module
 */
import { issueId, withIds } from '../../model/decision/issue.ts';
import type { EventOf } from '../../model/events/event.ts';
import { planGraph, type Plan } from '../../model/plan/plan.ts';
import type { Judgement, ReviewFinding } from '../../model/review/open-issues.ts';
import { decisionIn } from '../../model/review/verdict.ts';
import { reach } from '../../model/values/graph.ts';
import type { Finder } from './defect.ts';
import { CHECKS, impliedIssue, PERSON, WORKER } from './implied-issues.ts';

/** Returns the defects that a judgement reports, by reporter. */
export function statementsIn({ by, verdict, verdicts }: Judgement): readonly ReviewFinding[] {
  const all = by === 'person' ? ([[PERSON, verdict]] as const) : Object.entries(verdicts);
  return all.flatMap(([reviewer, one]) => {
    const issues = withIds(decisionIn(one)?.issues ?? []);
    const ids = [...new Set(issues.map(issueId))];
    return ids.map((id) => ({ id, reviewer, issues: issues.filter((issue) => issueId(issue) === id), open: 1 }));
  });
}

/** Returns the finder of a finding in a decision of this kind. */
export function finderOf(
  { id, reviewer }: ReviewFinding,
  { by, who, failedChecks = [] }: Pick<EventOf<'review.decided'>, 'by' | 'who' | 'failedChecks'>,
): Finder {
  if (by === 'person' || reviewer === PERSON) return { by: 'person', name: who ?? null };
  if (reviewer === WORKER) return { by: 'worker', name: null };
  if (reviewer !== CHECKS) return { by: 'reviewer', name: reviewer };
  const { id: name } = impliedIssue(id);
  return { by: 'check', name: failedChecks.some((one) => one.name === name) ? name : null };
}

/** Returns the phases that issues name; `undefined` stands for the judged phase. */
export function phasesIn({ issues }: ReviewFinding): readonly (string | undefined)[] {
  return issues.map(({ affectedPhase }) => affectedPhase);
}

/**
 * Returns the phase that made a defect: the earliest that is named.
 *
 * @param own The judged phase. It gets defects that name no phase, or one that it does not need, as no such phase can have
 *   caused them.
 */
export function originOf(plan: Plan | undefined, own: string, named: readonly (string | undefined)[]): string {
  const names = new Set(named.map((name) => name ?? own));
  if (!plan || names.size === 0 || (names.size === 1 && names.has(own))) return own;
  const graph = planGraph(plan);
  const at = graph.indexOf.get(own) ?? -1;
  const above = reach(graph.before, at);
  const needed = [...names].flatMap((name) => {
    const index = graph.indexOf.get(name);
    return index !== undefined && above.has(index) ? index : [];
  });
  const [first] = needed.toSorted((a, b) => (graph.rank[a] ?? 0) - (graph.rank[b] ?? 0));
  return first === undefined ? own : (graph.names[first] ?? own);
}
