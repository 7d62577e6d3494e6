/**
 * What attempts are called.
 *
 * @module
 */
import type { TriedAttempt } from '../../../../src/model/item-detail.ts';

/**
 * `attempt 2`; where the phase was started more than once, with which start it is: `attempt 1 of start 3`. No two of a phase
 * have the same name: in one start the numbers rise.
 */
export function attemptName(attempts: readonly Numbers[], at: number): string {
  const one = attempts[at];
  if (!one) return '';
  const name = `attempt ${one.attempt + 1}`;
  const begins = attempts.flatMap((each, place) => (isStart(each, attempts[place - 1]) ? place : []));
  return begins.length === 1 ? name : `${name} of start ${begins.filter((place) => place <= at).length}`;
}

// --- internal ---

type Numbers = Pick<TriedAttempt, 'generation' | 'attempt'>;

/** Whoever has sent back an earlier phase starts again in the same generation, and counts from the first attempt. */
function isStart(one: Numbers, before: Numbers | undefined): boolean {
  return !before || before.generation !== one.generation || one.attempt <= before.attempt;
}
