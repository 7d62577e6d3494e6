/**
 * What several reviewers ask for beside the verdict that was made of their answers: no feedback is dropped.
 *
 * @module
 */
import { phaseOf } from '../decision/issue.ts';
import type { EventOf } from '../events/event.ts';
import type { GatePlan } from '../plan/plan.ts';
import { decisionIn, isDemand, type Demand } from './verdict.ts';

/** A demand that is judged, with the answers that it was made of. */
export type Judged = Pick<EventOf<'review.decided'>, 'verdicts' | 'by'> & { readonly verdict: Demand };

/** Demands beside a verdict, by the phase that is told them. */
export type RemainingFeedback = ReadonlyMap<string, readonly Demand[]>;

/** Nothing beside a verdict. */
export const NO_REMAINING_FEEDBACK: RemainingFeedback = new Map();

/**
 * The demands of reviewers that a verdict leaves out, by the phase that is told them.
 *
 * The phase under review is told what the phase that is named cannot be. Where a person has decided, only the phase that they
 * send back and the one under review are told; words that the person has taken over are not repeated. A person answers a
 * single reviewer in its place.
 *
 * @param own The phase under review.
 */
export function besideOf(
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
  const told = new Map<string, Demand[]>();
  for (const one of left) {
    const named = one.type === 'retry' ? own : one.phase;
    const phase = named === target || (mayRide && targets.includes(named)) ? named : own;
    told.set(phase, [...(told.get(phase) ?? []), one]);
  }
  return told;
}

/** Whether a demand is about a phase: it names it, or has an issue of it. */
export function concerns(demand: Demand, phase: string, own: string, targets: readonly string[]): boolean {
  if ((demand.type === 'retry' ? own : demand.phase) === phase) return true;
  return (demand.issues ?? []).some((issue) => phaseOf(issue, own, targets) === phase);
}

// --- internal ---

/** Whether a text has all words of a demand as a paragraph of its own. One without words adds nothing. */
function quotes(text: string, { feedback, requiredChange = '' }: Demand): boolean {
  const words = feedback === '' ? requiredChange : feedback;
  return words === '' || `\n\n${text}\n\n`.includes(`\n\n${words}\n\n`);
}
