/**
 * Reports of a step of a phase: the statechart is pure, and these are what it has to say.
 *
 * @module
 */
import type { PhaseReport } from '../../model/events/event.ts';
import type { PhaseContext } from './phase-context.ts';
import * as reports from './phase-reports.ts';

/** A phase at rest: the name of its state, and its context. */
export interface PhaseAtRest {
  readonly value: string;
  readonly context: PhaseContext;
}

/**
 * Returns the reports of a step: those of a decision, then those of the state that it leads to.
 *
 * @param before The phase before the step; absent for a phase that starts.
 */
export function reportsOf({ value, context }: PhaseAtRest, before?: PhaseAtRest): readonly PhaseReport[] {
  const decided = before && context.judgement !== before.context.judgement ? context.judgement : undefined;
  if (!decided && value === before?.value) return NOTHING;
  const reached = REPORTS[value]?.(context) ?? NOTHING;
  return decided ? [...decided, ...reached] : reached;
}

// --- internal ---

const NOTHING: readonly PhaseReport[] = [];

/** The reports on entry to each state in which a phase rests. */
const REPORTS: Readonly<Record<string, (context: PhaseContext) => readonly PhaseReport[]>> = {
  running: (context) => [reports.startedReport(context)],
  reviewing: reports.reviewReports,
  retrying: (context) => [reports.retryingReport(context)],
  rewinding: (context) => [reports.rewindingReport(context)],
  escalated: (context) => [reports.escalatedReport(context)],
  approved: reports.approvalReports,
  rejected: (context) => [reports.rejectedReport(context)],
  failed: (context) => [reports.failedReport(context)],
};
