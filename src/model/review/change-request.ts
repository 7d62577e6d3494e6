/**
 * Routing of a demand: the correction for each phase that it concerns.
 *
 * @module
 */
import type { Decision } from '../decision/decision.ts';
import type { Issue } from '../decision/issue-schema.ts';
import { groupIssues, issueLines, requiredChanges } from '../decision/issue.ts';
import type { GatePlan } from '../plan/plan.ts';
import { joinDemands, type Correction, type Rider } from '../revision/revision.ts';
import { NO_REMAINING_FEEDBACK, type RemainingFeedback } from './remaining-feedback.ts';
import { isDemand, routed, type Demand } from './verdict.ts';

/** The corrections of a demand, by recipient. */
export interface RoutedCorrections {
  /** For the phase that is sent back. */
  readonly correction: Correction;
  /** For other phases, the earliest first. */
  readonly riders: readonly Rider[];
}

/**
 * Splits a demand into corrections. The phase that is sent back gets the feedback and its issues, every other phase its issues. Each
 * also gets the remaining feedback for it.
 *
 * @param from The phase under review.
 * @param attempt Its attempt.
 * @param targets Phases that it may send back, in topological order.
 * @param remaining The remaining feedback of its reviewers.
 */
export function routeCorrections(
  demand: Demand,
  from: string,
  attempt: number,
  targets: readonly string[],
  remaining: RemainingFeedback = NO_REMAINING_FEEDBACK,
): RoutedCorrections {
  const { issues = [] } = demand;
  const first = demand.type === 'retry' ? from : demand.phase;
  const { feedback, requiredChange } = joinDemands([demand, ...(remaining.get(first) ?? [])]);
  if (issues.length === 0 && remaining.size === 0) {
    const correction = { attempt, from, feedback };
    return {
      correction: requiredChange === undefined ? correction : { ...correction, requiredChange },
      riders: NO_RIDERS,
    };
  }
  const groups = groupIssues(issues, from, demand.type === 'retry' ? [] : targets);
  const riders = [...targets.filter((name) => name !== from), from].flatMap((phase) => {
    const group = groups.get(phase) ?? [];
    const asked = remaining.get(phase) ?? [];
    if (phase === first || group.length + asked.length === 0) return [];
    const words = joinDemands(asked);
    return { phase, correction: correctionOf(from, attempt, group, words.feedback, words.requiredChange) };
  });
  const correction = correctionOf(from, attempt, groups.get(first) ?? [], feedback, requiredChange);
  return { correction, riders };
}

/** Returns the correction of a rider without its issues; `undefined` if it only has issues. */
export function withoutIssues({ correction: { issues, ...correction } }: Rider): Correction | undefined {
  if (!issues) return correction;
  const lines = issueLines(issues);
  if (!correction.feedback.endsWith(`\n\n${lines}`)) return undefined;
  const { attempt, from } = correction;
  return { attempt, from, feedback: correction.feedback.slice(0, -lines.length - 2) };
}

/**
 * Aims a decision at the earliest phase that it names, or that one of its issues is about, among those that may be sent back.
 *
 * @param own The phase under review.
 * @param by Phases that may be sent back, in topological order, and the policy for issues about other phases.
 */
export function retarget(decision: Decision, own: string, by: Pick<GatePlan, 'targets' | 'onInvalidTarget'>): Decision {
  if (!isDemand(decision) || !decision.issues || decision.issues.length === 0) return decision;
  return routed([decision], by, own) ?? decision;
}

/** Returns the text of a demand: the feedback, and its issues. */
export function changeRequestText({ feedback, requiredChange = '', issues = [] }: Omit<Demand, 'type'>): string {
  const words = [feedback, issueLines(issues)].filter((part) => part !== '').join('\n\n');
  return words === '' ? requiredChange : words;
}

// --- internal ---

const NO_RIDERS: readonly never[] = Object.freeze([]);

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
