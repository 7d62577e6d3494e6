/**
 * Reports that a run has already: work that begins again after its worker was lost repeats them.
 *
 * @module
 */
import type { EventOf, PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';

/**
 * True if a report repeats what is known.
 *
 * @param events Events of the run since its work began.
 * @param open The open items of the run.
 */
export function isKnown(report: PhaseReport, events: readonly RunEvent[], open: readonly InboxItem[]): boolean {
  const { type, phase } = report;
  if (type === 'task.started') return events.some((one) => one.type === type && isSameTry(one, report));
  if (type === 'task.completed' || type === 'task.failed')
    return events.some((one) => one.type === 'task.completed' && one.phase === phase && one.task === report.task);
  if (type === 'review.waiting') return events.some((one) => one.type === type && one.phase === phase);
  if (type !== 'task.asked') return false;
  const kind = report.reviewer ? 'review' : 'task';
  return open.some((item) => item.about === phase && item.task === report.task && item.kind === kind);
}

// --- internal ---

function isSameTry(one: EventOf<'task.started'>, other: EventOf<'task.started'>): boolean {
  return one.phase === other.phase && one.task === other.task && one.try === other.try;
}
