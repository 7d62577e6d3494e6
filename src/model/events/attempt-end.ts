/**
 * What ends an attempt of a phase, as records have it.
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

/** An event that ends the attempt of its phase that is under way, if one is. What a person decides later may end it once more. */
export type AttemptEnd = EventOf<(typeof ENDS)[number]>;

/** Whether the attempt that is under way has ended with this. */
export function endsAttempt(event: RunEvent): event is AttemptEnd {
  return ENDS.some((type) => type === event.type);
}
