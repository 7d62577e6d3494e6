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

/** Names the attempt of a place: `attempt 2 of draft`; '' if it has none. */
export function foundAttempt({ phase, attempt }: FoundAttempt): string {
  return phase === null || attempt === null ? '' : `attempt ${attempt} of ${phase}`;
}

// --- internal ---

interface FoundAttempt extends Pick<Found, 'phase'> {
  /** Its number among all attempts of the phase in the run, from 1; `null` if there is none. */
  readonly attempt: number | null;
}
