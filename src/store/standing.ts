/**
 * How a run that is kept stands, in one word.
 *
 * @module
 */
import type { ListedRun } from './port.ts';

/** Every standing. */
export const standings = [
  'running',
  'waiting',
  'suspended',
  'completed',
  'rejected',
  'failed',
  'cancelled',
  'exhausted',
] as const;

/** How a run stands: `waiting` is for a person, and `suspended` is what can be resumed at once. */
export type Standing = (typeof standings)[number];

/** How a run stands. Whether a process works on it matters only where it has not ended and waits for nobody. */
export function standingOf({ status, waiting, lease }: Pick<ListedRun, 'status' | 'waiting' | 'lease'>): Standing {
  if (status !== 'running') return status;
  if (waiting.length > 0) return 'waiting';
  return lease ? 'running' : 'suspended';
}
