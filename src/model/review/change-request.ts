/**
 * What a verdict demands, and of whom.
 *
 * @module
 */
import type { Decision } from '../decision/decision.ts';
import { groupIssues, issueLines, requiredChanges, type Issue } from '../decision/issue.ts';
import type { GatePlan } from '../plan/plan.ts';
import { joinDemands, type Correction, type Rider } from '../revision/revision.ts';
import { NO_REMAINING_FEEDBACK, type RemainingFeedback } from './remaining-feedback.ts';
import { isDemand, routed, type Demand } from './verdict.ts';

/** A demand, by who is told what. */
export interface RoutedCorrections {
  /** For the phase that is sent back. */
  readonly correction: Correction;
  /** For others, the earliest first. */
  readonly riders: readonly Rider[];
}

/**
 * Who is told what by a demand: the phase that is sent back the feedback and its issues, every other phase its issues, and each
 * what is asked of it beside the demand.
 *
 * @param from The phase under review.
 * @param attempt Its attempt.
 * @param targets Phases that it may send back, in topological order.
 * @param beside What its reviewers ask for beside it.
 */
export function routeCorrections(
  demand: Demand,
  from: string,
  attempt: number,
  targets: readonly string[],
  beside: RemainingFeedback = NO_REMAINING_FEEDBACK,
): RoutedCorrections {
  const { issues = [] } = demand;
  const first = demand.type === 'retry' ? from : demand.phase;
  const { feedback, requiredChange } = joinDemands([demand, ...(beside.get(first) ?? [])]);
  if (issues.length === 0 && beside.size === 0) {
    const correction = { attempt, from, feedback };
    return {
      correction: requiredChange === undefined ? correction : { ...correction, requiredChange },
      riders: NOBODY,
    };
  }
  const groups = groupIssues(issues, from, demand.type === 'retry' ? [] : targets);
  const riders = [...targets.filter((name) => name !== from), from].flatMap((phase) => {
    const group = groups.get(phase) ?? [];
    const asked = beside.get(phase) ?? [];
    if (phase === first || group.length + asked.length === 0) return [];
    const words = joinDemands(asked);
    return { phase, correction: correctionOf(from, attempt, group, words.feedback, words.requiredChange) };
  });
  const correction = correctionOf(from, attempt, groups.get(first) ?? [], feedback, requiredChange);
  return { correction, riders };
}

/** The words of a rider that are no issues, as a correction; `undefined` where there are none. */
export function withoutIssues({ correction: { issues, ...correction } }: Rider): Correction | undefined {
  if (!issues) return correction;
  const lines = issueLines(issues);
  if (!correction.feedback.endsWith(`\n\n${lines}`)) return undefined;
  const { attempt, from } = correction;
  return { attempt, from, feedback: correction.feedback.slice(0, -lines.length - 2) };
}

/**
 * A decision, aimed at the earliest phase that it names, or that one of its issues is about, of those that may be sent back.
 *
 * @param own The phase that it is about.
 * @param by What may be sent back, in topological order, and what follows where an issue is about something else.
 */
export function retarget(decision: Decision, own: string, by: Pick<GatePlan, 'targets' | 'onInvalidTarget'>): Decision {
  if (!isDemand(decision) || !decision.issues || decision.issues.length === 0) return decision;
  return routed([decision], by, own) ?? decision;
}

/** What a demand says, in words: the feedback, and its issues. */
export function changeRequestText({ feedback, requiredChange = '', issues = [] }: Omit<Demand, 'type'>): string {
  const words = [feedback, issueLines(issues)].filter((part) => part !== '').join('\n\n');
  return words === '' ? requiredChange : words;
}

// --- internal ---

const NOBODY: readonly never[] = Object.freeze([]);

function correctionOf(
  from: string,
  attempt: number,
  issues: readonly Issue[],
  feedback = '',
  requiredChange = '',
): Correction {
  const text = [feedback, issueLines(issues)].filter((part) => part !== '').join('\n\n');
  const wanted = requiredChanges(issues);
  const change = wanted.includes(requiredChange)
    ? wanted
    : [requiredChange, wanted].filter((one) => one !== '').join(' ');
  return {
    attempt,
    from,
    feedback: text,
    ...(change !== '' && { requiredChange: change }),
    ...(issues.length > 0 && { issues }),
  };
}
