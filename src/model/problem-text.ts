/**
 * What errors say, for people.
 *
 * @module
 */
import type { ErrorInfo } from './errors.ts';

/** The message, with the class where that says more than "Error", and what is behind it. */
export function errorText({ name, message, cause }: Pick<ErrorInfo, 'name' | 'message' | 'cause'>): string {
  const isPlain = name === 'Error' || name.endsWith('PhasegateError') || /^[a-z]/u.test(name);
  const text = isPlain ? message : `${name}: ${message}`;
  return cause === undefined ? text : text.replace(DOCS_OR_END, () => ` (cause: ${cause})`);
}

/** What a message says, without where its documentation is. */
export function problemText(message: string): string {
  return message.replace(DOCS, '');
}

/** The same where line ends count as spaces: advice that stands below the problem is a sentence of its own. */
export function problemLine(message: string): string {
  const problem = problemText(message);
  // Only errors of ours name their documentation.
  return problem === message ? message : problem.replace(/([^\s.:!?…])\n(?=[^\n]*$)/u, '$1. ');
}

// --- internal ---

// Not every `Docs:` of whoever has said something.
const DOCS = /\nDocs: docs\/errors\.md#[A-Z_]+$/u;
const DOCS_OR_END = /(?=\nDocs: docs\/errors\.md#[A-Z_]+$)|$/u;
