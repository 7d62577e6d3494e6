/**
 * Errors in words, for people.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';

/** Writes the message, with the class if it is more specific than "Error", and with a cause that it does not say. */
export function errorText({ name, message, cause }: Pick<ErrorInfo, 'name' | 'message' | 'cause'>): string {
  const isPlain = name === 'Error' || name.endsWith('PhasegateError') || /^[a-z]/u.test(name);
  const text = isPlain ? message : `${name}: ${message}`;
  const end = docsStart(text);
  return cause === undefined || text.includes(cause)
    ? text
    : `${text.slice(0, end)} (cause: ${cause.replaceAll(INNER_DOCS, ' ($1)')})${text.slice(end)}`;
}

/** Removes the reference to the documentation from a message. */
export function problemText(message: string): string {
  return message.slice(0, docsStart(message));
}

/** Writes a problem for use on one line: advice on the line below it becomes a sentence of its own. */
export function problemLine(message: string): string {
  const problem = problemText(message);
  // Only errors of phasegate end with the reference to their documentation.
  const end = problem.lastIndexOf('\n');
  const isOpen = problem !== message && end > 0 && /[^\s.:!?…]/u.test(problem.charAt(end - 1));
  return isOpen ? `${problem.slice(0, end)}. ${problem.slice(end + 1)}` : problem;
}

/** Returns the place of the last line if it refers to the documentation of a phasegate error; otherwise the end of the text. */
export function docsStart(message: string): number {
  const start = message.lastIndexOf('\n');
  // Other `Docs:` lines, which anyone may have written, do not count.
  const isDocs =
    start !== -1 &&
    /^\nDocs: (?:https:\/\/github\.com\/phasegate\/phasegate\/blob\/main\/)?docs\/errors\.md#[A-Z_]+$/u.test(
      message.slice(start),
    );
  return isDocs ? start : message.length;
}

// --- internal ---

/** The reference of a cause to its documentation, which is not at the end of the text. Its code remains. */
const INNER_DOCS = /\nDocs: docs\/errors\.md#([A-Z_]+)/gu;
