/**
 * Detection of errors that report that a model's context is too small.
 *
 * @module
 */

/** True if an error reports it, by its code or its text. */
export function saysTooLong(code: unknown, message: string): boolean {
  if (code === 'context_length_exceeded') return true;
  const text = message.slice(0, LONGEST).toLowerCase();
  return WORDS.some((one) => text.includes(one));
}

/** True if anything thrown reports it. */
export function isTooLong(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (Reflect.get(thrown, 'tooLong') === true) return true;
  const message: unknown = Reflect.get(thrown, 'message');
  return saysTooLong(Reflect.get(thrown, 'code'), typeof message === 'string' ? message : '');
}

/**
 * Estimates the characters of material that fit. It uses the numbers in the error, otherwise a quarter of the characters shown.
 */
export function roomIn(thrown: unknown, shown: number): number {
  const message: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : '';
  const text = String(message).slice(0, LONGEST);
  const [one, other] = [...text.matchAll(/\b(\d{3,9}) (?:tokens|maximum|max)\b/gu)].map(([, digits]) => Number(digits));
  const share = one === undefined || other === undefined ? 1 : Math.min(one, other) / Math.max(one, other);
  // Leaves room for the answer and for differences in the length of tokens.
  return Math.floor(shown * (share < 1 && share > 0.02 ? share * 0.8 : 0.25));
}

// --- internal ---

/** Most characters of a message that are searched. */
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
