/**
 * Targets of a demand with issues, and the recipients of each issue (rules 35 and 36).
 *
 * @module
 */
import { wordsOf, type IssueAct } from './scenario.ts';
import type { Demanding } from './review.ts';
import { rank } from './targets.ts';
import type { Phase, World } from './world.ts';

/** The feedback and issues for one phase. */
export interface Told {
  readonly phase: string;
  readonly feedback: string;
  readonly issues: readonly IssueAct[];
  /** The part of the feedback that is not an issue, if the phase receives issues as well. */
  readonly alone?: string;
}

/** Merges demands, of which at least one has issues, into one with all of them. `targets` may be sent back. */
export function routed(
  world: World,
  phase: Phase,
  demands: readonly Demanding[],
  targets: ReadonlySet<string>,
  isStrict: boolean,
): Demanding {
  const issues = once(
    demands.flatMap((demand) => demand.issues ?? []),
    (issue) => ownerOf(phase, issue, targets),
  );
  const stray = issues.find((issue) => isAstray(phase, issue, targets))?.phase;
  const named = demands.flatMap((demand) => (demand.type === 'retry' ? [] : [demand.phase]));
  const about = issues.map((issue) => ownerOf(phase, issue, targets));
  const [first = phase.name] = [...named, ...about]
    .filter((name) => targets.has(name))
    .toSorted((a, b) => rank(world, a) - rank(world, b));
  const target = isStrict && stray !== undefined ? stray : first;
  const concerns = (demand: Demanding): boolean =>
    (demand.type === 'retry' ? phase.name : demand.phase) === target ||
    (demand.issues ?? []).some((issue) => ownerOf(phase, issue, targets) === target || issue.phase === target);
  // A person who has to decide receives the feedback of all demands.
  const feedback = (isStrict && stray !== undefined ? demands : demands.filter(concerns))
    .map((demand) => demand.feedback)
    .join('\n\n');
  const [only, another] = demands;
  const rest = { feedback, issues, ...(only?.score !== undefined && !another && { score: only.score }) };
  return target === phase.name ? { type: 'retry', ...rest } : { type: 'retryPredecessor', phase: target, ...rest };
}

/** Returns the issues of each phase: the earliest phase first, the one under review last. */
export function shares(
  world: World,
  phase: Phase,
  issues: readonly IssueAct[],
  targets: ReadonlySet<string>,
): readonly Told[] {
  const order = [...targets].toSorted((a, b) => rank(world, a) - rank(world, b));
  return [...order, phase.name].flatMap((name) => {
    const own = issues.filter((issue) => ownerOf(phase, issue, targets) === name);
    return own.length === 0 ? [] : [{ phase: name, feedback: listed(own), issues: own }];
  });
}

/** True if an issue names a phase that may not be sent back. */
export function isAstray(phase: Phase, issue: IssueAct, targets: ReadonlySet<string>): boolean {
  return issue.phase !== undefined && issue.phase !== phase.name && !targets.has(issue.phase);
}

/** Removes duplicate issues of a phase, which is the named one, or the one that has to correct it. */
export function once(
  issues: readonly IssueAct[],
  ownerIn: (issue: IssueAct) => string | undefined = (issue) => issue.phase,
): readonly IssueAct[] {
  return issues.filter(
    (issue, at) => issues.findIndex((one) => one.name === issue.name && ownerIn(one) === ownerIn(issue)) === at,
  );
}

// --- internal ---

function ownerOf(phase: Phase, issue: IssueAct, targets: ReadonlySet<string>): string {
  return issue.phase !== undefined && targets.has(issue.phase) ? issue.phase : phase.name;
}

const WORST_FIRST = ['critical', 'high', 'medium', 'low'];

function listed(issues: readonly IssueAct[]): string {
  return issues
    .toSorted((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity))
    .map((issue) => `- [${issue.severity}] ${wordsOf(issue)}`)
    .join('\n');
}
