/**
 * Errors in words: what they are called, say, and come from.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import type { ErrorCode, ErrorInfo } from '../../model/errors.ts';

/** The message, with the class where it says more than "Error", and what is behind it; advice is for the command line. */
export function errorText({ code, name, message, cause }: ErrorInfo): string {
  const plain = name === 'Error' || name.endsWith('PhasegateError') || /^[a-z]/u.test(name);
  const text = plain ? advised(code, message) : `${name}: ${message}`;
  return cause === undefined ? text : `${text} (cause: ${cause})`;
}

/** Where in the user's own code an error was thrown, where its stack says so. */
export function originOf({ stack }: ErrorInfo): string | undefined {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  const own = frames.find(
    (line) => !/node:|node_modules|<anonymous>$/u.test(line) && !line.includes(LIBRARY) && /[/\\]/u.test(line),
  );
  return own?.trim();
}

// --- internal ---

/** What to do at a terminal, where the library's own advice is for code that calls it: by code, and how messages begin. */
const ADVICE: readonly (readonly [code: ErrorCode, start: string, advice: string])[] = [
  ['INPUT_INVALID', 'Cannot start a run', 'Give it with --input key=text, --input key:=json, or --input-file.'],
  ['TASK_TIMEOUT', 'Cannot wait longer', 'Raise `timeout`, or make the work faster.'],
  [
    'DECISION_INVALID',
    "Cannot read the reviewer's answer",
    'Answer with text such as "RETRY: <feedback>", or JSON such as { "type": "retry", "feedback": "<feedback>" }.',
  ],
  [
    'REVIEW_UNAVAILABLE',
    'Cannot judge',
    'The work was not rejected. Repair the reviewer, raise maxReviewErrors, or run it on a terminal, where you are asked.',
  ],
];

/** The message with the line before the one on docs replaced. */
function advised(code: string, message: string): string {
  const advice = ADVICE.find(([known, start]) => known === code && message.startsWith(start))?.[2];
  if (advice === undefined) return message;
  return message.replace(/\n[^\n]*(?=\nDocs: docs\/errors\.md#[A-Z_]+$)/u, () => `\n${advice}`);
}

/** Where the built library is; its frames say nothing about a user's mistake. */
const LIBRARY = fileURLToPath(new URL('../../../', import.meta.url));
