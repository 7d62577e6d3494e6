/**
 * Why a limit is spent, in words.
 *
 * @module
 */
import type { EventOf } from './event.ts';

/** Why nothing goes on: the limit is used up, or what is left of it is too little for the next try. */
export function limitReason({
  limit,
  max,
  refused,
}: Pick<EventOf<'limit.reached'>, 'limit' | 'max' | 'refused'>): string {
  if (refused?.estimate === undefined) return `The limit of ${max} for ${limit} is spent`;
  const { phase, task, estimate } = refused;
  return `What is left of the limit of ${max} for ${limit} is less than "${task}" of phase "${phase}" may use: ${estimate}`;
}
