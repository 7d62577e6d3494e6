/**
 * Events that end an attempt of a phase.
 *
 * @module
 */
import type { EventOf, RunEvent } from './event.ts';

const ENDS = [
  'phase.approved',
  'phase.rejected',
  'phase.failed',
  'phase.retrying',
  'phase.rewinding',
  'phase.escalated',
  'phase.cancelled',
  'phase.invalidated',
  'phase.skipped',
] as const satisfies readonly RunEvent['type'][];

/** An event that ends the current attempt of its phase, if there is one. A later decision of a person may end it again. */
export type AttemptEnd = EventOf<(typeof ENDS)[number]>;

/** True if this event ends the current attempt. */
export function endsAttempt(event: RunEvent): event is AttemptEnd {
  return ENDS.some((type) => type === event.type);
}
