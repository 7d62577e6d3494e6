/**
 * JSON that a user has written.
 *
 * @module
 */

/** Parses JSON, which may begin with a byte order mark. @throws SyntaxError if it is no JSON. */
export function parseJson(text: string): unknown {
  return JSON.parse(withoutMark(text));
}

/** Removes a byte order mark. Some editors begin a file with one, and it is no part of the text. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
