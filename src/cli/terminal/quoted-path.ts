/**
 * Paths in lines of output.
 *
 * @module
 */
import { CONTROLS } from './text.ts';

/**
 * Returns a path on one line, as git writes it: in quotes, with escapes, if it has a quote, a backslash or a character that a terminal
 * interprets. Any other path stays as it is.
 */
export function quotedPath(path: string): string {
  const escaped = path.replaceAll(SPECIAL, escapeOf);
  return escaped === path ? path : `"${escaped}"`;
}

// --- internal ---

const SPECIAL = new RegExp(String.raw`[${CONTROLS}"\\]`, 'gu');

/** The escapes that are no number. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['\u0007', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
]);

/** Returns the escape of a character: a letter, or its bytes in UTF-8 as octal numbers. */
function escapeOf(character: string): string {
  const letter = LETTERS.get(character);
  if (letter !== undefined) return `\\${letter}`;
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
