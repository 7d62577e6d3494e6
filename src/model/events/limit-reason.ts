/**
 * The reason why a limit is spent, in words.
 *
 * @module
 */
import type { EventOf } from './event.ts';

/** Describes a spent limit: it is used up, or the rest is too small for the next try. */
export function limitReason({
  limit,
  max,
  refused,
}: Pick<EventOf<'limit.reached'>, 'limit' | 'max' | 'refused'>): string {
  if (refused?.estimate === undefined) return `The limit of ${max} for ${limit} is spent`;
  const { phase, task, estimate } = refused;
  return `What is left of the limit of ${max} for ${limit} is less than "${task}" of phase "${phase}" may use: ${estimate}`;
}
