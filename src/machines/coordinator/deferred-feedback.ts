/**
 * What several reviewers ask for of an attempt with which its phase may end: the next try of the run is told it.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { routeCorrections } from '../../model/review/change-request.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import type { PhaseState } from './phase-state.ts';

/** Takes down what several reviewers ask for, as far as the verdict may end the phase. */
export function collectFeedback(entry: PhaseState, { by, verdicts, attempt }: EventOf<'review.decided'>): void {
  const { name, gate } = entry.phase;
  if (by === 'person' || !gate || gate.reviewers.length < 2) return;
  entry.deferredFeedback = gate.reviewers.flatMap((reviewer) => {
    const decision = decisionIn(verdicts[reviewer.name]);
    return decision && isDemand(decision) ? routeCorrections(decision, name, attempt, []).correction : [];
  });
}

/** The phase ends, and nobody is told what its reviewers asked for: it is, where the run is tried again. */
export function deferFeedback(entry: PhaseState): void {
  const told = entry.deferredFeedback.map((correction) => ({
    correction,
    regate: true,
    invalidation: 'requester' as const,
  }));
  if (told.length > 0) entry.deferredRequests = [...entry.deferredRequests, ...told];
  entry.deferredFeedback = [];
}
