/**
 * In which state the machine of a phase is, as its records tell.
 *
 * @module
 */
import type { RunEvent } from '../../../../../src/model/events/event.ts';

/**
 * The state after an event, by its name in the machine; `null` where the phase has no machine: before it starts, and once it has to
 * start anew.
 */
export function stateAfter(before: string | null, event: RunEvent, phase: string): string | null {
  if (event.type === 'run.reopened') return before === 'approved' ? before : null;
  if (!('phase' in event) || event.phase !== phase) return before;
  switch (event.type) {
    case 'phase.started':
      return 'running';
    case 'review.started':
      return 'reviewing';
    case 'review.decided':
      return 'deciding';
    case 'phase.retrying':
      return 'retrying';
    case 'phase.rewinding':
      return 'rewinding';
    case 'phase.escalated':
      return 'escalated';
    case 'phase.approved':
      return 'approved';
    case 'phase.rejected':
      return 'rejected';
    case 'phase.failed':
      return 'failed';
    case 'phase.cancelled':
      return 'cancelled';
    case 'phase.invalidated':
      return null;
    case 'phase.skipped':
      // A person may skip what waits, and then the machine is told to stop.
      return before === null ? null : 'cancelled';
    case 'review.waiting':
    case 'phase.stale':
    case 'phase.warned':
    case 'phase.read':
    case 'phase.unaffected':
    case 'phase.reflected':
    case 'attempt.unchanged':
    case 'loop.detected':
    case 'check.baselined':
    case 'task.started':
    case 'task.reported':
    case 'task.completed':
    case 'task.retrying':
    case 'task.failed':
    case 'task.asked':
    case 'task.answered':
    case 'task.dropped':
      return before;
  }
}
