/**
 * Errors that say that a model was given more than its context has room for.
 *
 * @module
 */

/** Whether an error says so, by its code or in words. */
export function saysTooLong(code: unknown, message: string): boolean {
  if (code === 'context_length_exceeded') return true;
  const text = message.slice(0, LONGEST).toLowerCase();
  return WORDS.some((one) => text.includes(one));
}

/** Whether anything that was thrown says so. */
export function isTooLong(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (Reflect.get(thrown, 'tooLong') === true) return true;
  const message: unknown = Reflect.get(thrown, 'message');
  return saysTooLong(Reflect.get(thrown, 'code'), typeof message === 'string' ? message : '');
}

/** Characters of material that such a model may have room for, by the numbers in its error, else a quarter of what it was shown. */
export function roomIn(thrown: unknown, shown: number): number {
  const message: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : '';
  const text = String(message).slice(0, LONGEST);
  const [one, other] = [...text.matchAll(/\b(\d{3,9}) (?:tokens|maximum|max)\b/gu)].map(([, digits]) => Number(digits));
  const share = one === undefined || other === undefined ? 1 : Math.min(one, other) / Math.max(one, other);
  // Some of the room is for the answer, and tokens are not all of the same length.
  return Math.floor(shown * (share < 1 && share > 0.02 ? share * 0.8 : 0.25));
}

// --- internal ---

/** Characters of a message that are looked through. */
const LONGEST = 4000;

const WORDS = [
  'context length',
  'context_length',
  'context window',
  'context size',
  'maximum context',
  'prompt is too long',
  'input is too long',
  'too many tokens',
  'exceeds the maximum number of tokens',
];
