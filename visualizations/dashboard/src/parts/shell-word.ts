/**
 * Words of commands, to be copied into a shell.
 *
 * @module
 */

/** A word as a shell takes it for one. */
export function shellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
