/**
 * Deferred feedback: demands of several reviewers about an attempt with which its phase may end. The next try of the run gets them.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { routeCorrections } from '../../model/review/change-request.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import { NONE, type PhaseState } from './phase-state.ts';

/** Collects the demands of several reviewers in case the verdict ends the phase. */
export function collectFeedback(entry: PhaseState, { by, verdicts, attempt }: EventOf<'review.decided'>): void {
  const { name, gate } = entry.phase;
  if (by === 'person' || !gate || gate.reviewers.length < 2) return;
  entry.deferredFeedback = gate.reviewers.flatMap((reviewer) => {
    const decision = decisionIn(verdicts[reviewer.name]);
    return decision && isDemand(decision) ? routeCorrections(decision, name, attempt, []).correction : [];
  });
}

/** Defers the collected demands of a phase that ends: it gets them if the run is tried again. */
export function deferFeedback(entry: PhaseState): void {
  const requests = entry.deferredFeedback.map((correction) => ({
    correction,
    regate: true,
    invalidation: 'requester' as const,
  }));
  if (requests.length > 0) entry.deferredRequests = [...entry.deferredRequests, ...requests];
  entry.deferredFeedback = NONE;
}
