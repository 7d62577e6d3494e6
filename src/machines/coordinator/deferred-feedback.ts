/**
 * What several reviewers ask for of an attempt with which its phase may end: the next try of the run is told it.
 *
 * @module
 */
import { toldBy } from '../../model/review/change-request.ts';
import type { EventOf } from '../../model/events/event.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import type { Entry } from './phase-state.ts';

/** Takes down what several reviewers ask for, as far as the verdict may end the phase. */
export function hear(entry: Entry, { by, verdicts, attempt }: EventOf<'review.decided'>): void {
  const { name, gate } = entry.phase;
  if (by === 'person' || !gate || gate.reviewers.length < 2) return;
  entry.heard = gate.reviewers.flatMap((reviewer) => {
    const decision = decisionIn(verdicts[reviewer.name]);
    return decision && isDemand(decision) ? toldBy(decision, name, attempt, []).correction : [];
  });
}

/** The phase ends, and nobody is told what its reviewers asked for: it is, where the run is tried again. */
export function keepDemands(entry: Entry): void {
  const told = entry.heard.map((correction) => ({ correction, regate: true, spread: 'requester' as const }));
  if (told.length > 0) entry.belated = [...entry.belated, ...told];
  entry.heard = [];
}
