/**
 * Quoting for shell commands that users copy.
 *
 * @module
 */

/** Quotes a word for a shell. */
export function shellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
