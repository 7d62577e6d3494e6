/**
 * Feedback of several reviewers that their combined verdict leaves out: it is delivered as well, so that none is dropped.
 *
 * @module
 */
import { phaseOf } from '../decision/issue.ts';
import type { EventOf } from '../events/event.ts';
import type { GatePlan } from '../plan/plan.ts';
import { decisionIn, isDemand, type Demand } from './verdict.ts';

/** A judged demand, with the answers that it was combined from. */
export type Judged = Pick<EventOf<'review.decided'>, 'verdicts' | 'by'> & { readonly verdict: Demand };

/** Demands that a verdict leaves out, by the phase that gets them. */
export type RemainingFeedback = ReadonlyMap<string, readonly Demand[]>;

/** No remaining feedback. */
export const NO_REMAINING_FEEDBACK: RemainingFeedback = new Map();

/**
 * Returns the demands of reviewers that a verdict leaves out, by the phase that gets them.
 *
 * The phase under review gets the feedback that the named phase cannot get. After a person's decision, only the phase that they send
 * back and the one under review get feedback, without the paragraphs that the person has quoted. With a single reviewer there is none:
 * the person answers in its place.
 *
 * @param own The phase under review.
 */
export function remainingFeedbackOf(
  { verdict, verdicts, by }: Judged,
  own: string,
  { reviewers, targets }: Pick<GatePlan, 'reviewers' | 'targets'>,
): RemainingFeedback {
  if (by === 'worker' || reviewers.length < 2) return NO_REMAINING_FEEDBACK;
  const target = verdict.type === 'retry' ? own : verdict.phase;
  const demands = reviewers.flatMap(({ name }) => {
    const decision = decisionIn(verdicts[name]);
    return decision && isDemand(decision) ? decision : [];
  });
  const left =
    by === 'person'
      ? demands.filter((one) => !quotes(verdict.feedback, one))
      : demands.filter((one) => !concerns(one, target, own, targets));
  if (left.length === 0) return NO_REMAINING_FEEDBACK;
  const mayRide = by === 'gate' && verdict.type === 'retryPredecessor';
  const byPhase = new Map<string, Demand[]>();
  for (const one of left) {
    const named = one.type === 'retry' ? own : one.phase;
    const phase = named === target || (mayRide && targets.includes(named)) ? named : own;
    byPhase.set(phase, [...(byPhase.get(phase) ?? []), one]);
  }
  return byPhase;
}

/** True if a demand names a phase, or has an issue about it. */
export function concerns(demand: Demand, phase: string, own: string, targets: readonly string[]): boolean {
  if ((demand.type === 'retry' ? own : demand.phase) === phase) return true;
  return (demand.issues ?? []).some((issue) => phaseOf(issue, own, targets) === phase);
}

// --- internal ---

/** True if a text has all words of a demand as a paragraph. A demand without words adds nothing. */
function quotes(text: string, { feedback, requiredChange = '' }: Demand): boolean {
  const words = feedback === '' ? requiredChange : feedback;
  return words === '' || `\n\n${text}\n\n`.includes(`\n\n${words}\n\n`);
}
