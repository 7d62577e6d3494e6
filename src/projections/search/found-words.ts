/**
 * Found places in words.
 *
 * @module
 */
import type { Found } from './find-in-record.ts';

/** Names the place of a text: `draft / write: output`, or `input`. The names are quoted as they are. */
export function foundIn({ phase, task, in: place }: Pick<Found, 'in' | 'phase' | 'task'>): string {
  const names = [phase, task].filter((name) => name !== null).join(' / ');
  return names === '' ? place : `${names}: ${place}`;
}
