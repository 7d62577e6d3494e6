/**
 * What attempts are called.
 *
 * @module
 */
import type { TriedAttempt } from '../../../../src/model/item-detail.ts';

/** `attempt 2`; where the phase was sent back by others, with which start it is: `attempt 1 of start 3`. */
export function attemptName(attempts: readonly Pick<TriedAttempt, 'generation' | 'attempt'>[], at: number): string {
  const one = attempts[at];
  if (!one) return '';
  const name = `attempt ${one.attempt + 1}`;
  const starts = [...new Set(attempts.map(({ generation }) => generation))];
  return starts.length === 1 ? name : `${name} of start ${starts.indexOf(one.generation) + 1}`;
}
