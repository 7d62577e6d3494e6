/**
 * Words of a command that a person may copy into a shell.
 *
 * @module
 */

/** Quotes a text for a POSIX shell, if it needs that. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
