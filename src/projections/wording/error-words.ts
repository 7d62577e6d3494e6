/**
 * What errors say, for people.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';

/** The message, with the class where that says more than "Error", and what is behind it. */
export function errorText({ name, message, cause }: Pick<ErrorInfo, 'name' | 'message' | 'cause'>): string {
  const isPlain = name === 'Error' || name.endsWith('PhasegateError') || /^[a-z]/u.test(name);
  const text = isPlain ? message : `${name}: ${message}`;
  const end = docsStart(text);
  return cause === undefined ? text : `${text.slice(0, end)} (cause: ${cause})${text.slice(end)}`;
}

/** What a message says, without where its documentation is. */
export function problemText(message: string): string {
  return message.slice(0, docsStart(message));
}

/** The same where line ends count as spaces: advice that stands below the problem is a sentence of its own. */
export function problemLine(message: string): string {
  const problem = problemText(message);
  // Only errors of ours name their documentation.
  const end = problem.lastIndexOf('\n');
  const isOpen = problem !== message && end > 0 && /[^\s.:!?…]/u.test(problem.charAt(end - 1));
  return isOpen ? `${problem.slice(0, end)}. ${problem.slice(end + 1)}` : problem;
}

/** The place of the line that names the documentation of an error of ours, or has its address; the end of the text where there is none. */
export function docsStart(message: string): number {
  const start = message.lastIndexOf('\n');
  // Not every `Docs:` of whoever has said something.
  const isDocs =
    start !== -1 &&
    /^\nDocs: (?:https:\/\/github\.com\/phasegate\/phasegate\/blob\/main\/)?docs\/errors\.md#[A-Z_]+$/u.test(
      message.slice(start),
    );
  return isDocs ? start : message.length;
}
