/**
 * The state of a phase's machine, derived from its records.
 *
 * @module
 */
import type { RunEvent } from '../../../../../src/model/events/event.ts';

/**
 * Derives the state after an event, by its name in the machine; `null` if the phase has no machine: before it starts, and when it
 * must start again.
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
      // A person may skip a waiting phase. Its machine is then cancelled.
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
