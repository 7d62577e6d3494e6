/**
 * Findings of reviewers from review to review, and loops of a gate (rules 38 and 39).
 *
 * @module
 */
import { once } from './issues.ts';
import type { DecidedBy } from './judge.ts';
import { repeatsOf } from './repeats.ts';
import type { Answers, Verdict } from './review.ts';
import type { IssueAct } from './scenario.ts';
import type { Phase, World } from './world.ts';

/** An open finding of a reviewer, by the name of its issue. */
export interface Finding {
  readonly reviewer: string;
  readonly name: string;
  issues: readonly IssueAct[];
  /** The number of consecutive reviews that found it open. */
  open: number;
}

/** One rewind of a phase by another. */
export interface Sent {
  readonly from: string;
  readonly to: string;
}

/** Completes an answer with its issues: its new ones, and those of findings that it reports as open. */
export function completed(phase: Phase, reviewer: string, answer: Verdict): Verdict {
  if (!('issues' in answer) && !('priors' in answer)) return answer;
  const { issues = [], priors = {} } = answer;
  const again = phase.findings.filter(
    (one) =>
      one.reviewer === reviewer && priors[one.name] === 'open' && !issues.some((issue) => issue.name === one.name),
  );
  return { ...answer, issues: once([...issues, ...again.flatMap((one) => one.issues)]) };
}

/** Records the findings of a review with a decision. @returns True if it approved although an issue is open. */
export function find(phase: Phase, verdict: Verdict, answers: Answers): boolean {
  if (!isDecision(verdict)) return false;
  const before = phase.findings;
  const open: Finding[] = [];
  for (const finding of before) {
    const answer = answers.get(finding.reviewer);
    const said = answer && isDecision(answer) ? answer : undefined;
    const fate = said ? fateOf(finding, said) : 'open';
    if (fate !== 'closed') open.push(finding);
    if (said && fate === 'open') finding.open++;
  }
  const isAnyClosed = open.length < before.length;
  for (const [reviewer, said] of answers) {
    for (const issue of issuesIn(said)) {
      const known = open.find((one) => one.reviewer === reviewer && one.name === issue.name);
      const issues = issuesIn(said).filter((one) => one.name === issue.name);
      if (known) known.issues = issues;
      else open.push({ reviewer, name: issue.name, issues, open: 1 });
    }
  }
  if (isAnyClosed) for (const finding of open) finding.open = 1;
  phase.findings = verdict.type === 'approve' ? [] : open;
  return verdict.type === 'approve' && open.length > 0;
}

/** Applies a decision of a person to the findings. It may reassign issues. */
export function overrule(phase: Phase, verdict: Verdict): void {
  if (verdict.type === 'approve') phase.findings = [];
  for (const finding of phase.findings) {
    const anew = once(issuesIn(verdict)).filter((issue) => issue.name === finding.name);
    if (anew.length > 0) finding.issues = anew;
    finding.open = 0;
  }
}

/** The kind of a loop. */
export type LoopKind = 'issue' | 'feedback' | 'unchanged' | 'rewind';

/** Returns the kind of loop that a demand on `target` closes, if any. */
export function loopOf(phase: Phase, target: string, verdict: Verdict, by: DecidedBy): LoopKind | undefined {
  const { loopAfter = 2 } = phase.gate ?? {};
  if (loopAfter === 'unlimited' || by === 'person') return undefined;
  const demanded = issuesIn(verdict).map((one) => one.name);
  if (by === 'gate' && phase.findings.some((one) => one.open >= loopAfter && demanded.includes(one.name)))
    return 'issue';
  const repeats = by === 'gate' ? repeatsOf(phase, target, verdict, loopAfter) : undefined;
  if (repeats) return repeats;
  const [first, second, third] = phase.latest;
  const last: Sent = { from: phase.name, to: target };
  if (target === phase.name || !first || !second || !third) return undefined;
  return isSame(first, third) && isSame(second, last) && !isSame(first, second) ? 'rewind' : undefined;
}

/** Returns the latest rewinds that a phase has made, and those that sent it back. */
export function latest(world: World, { name }: Phase): readonly Sent[] {
  return world.sent.filter(({ from, to }) => from === name || to === name).slice(-3);
}

// --- internal ---

function issuesIn(verdict: Verdict): readonly IssueAct[] {
  return 'issues' in verdict ? (verdict.issues ?? []) : [];
}

function fateOf({ name }: Finding, said: Verdict): 'open' | 'closed' {
  if (issuesIn(said).some((issue) => issue.name === name)) return 'open';
  const prior = 'priors' in said ? said.priors?.[name] : undefined;
  if (prior !== undefined) return prior === 'open' ? 'open' : 'closed';
  const isDemand = said.type === 'retry' || said.type === 'retryPredecessor';
  if (said.type === 'approve' || (isDemand && said.priors === undefined)) return 'closed';
  return 'open';
}

function isDecision({ type }: Verdict): boolean {
  return type !== 'unavailable' && type !== 'inconclusive' && type !== 'unrecognised';
}

function isSame(one: Sent, other: Sent): boolean {
  return one.from === other.from && one.to === other.to;
}
