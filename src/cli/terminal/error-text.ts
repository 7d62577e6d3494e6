/**
 * Errors in words for who reads a terminal: with what to do there, and where in their own code they come from.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import type { ErrorCode, ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { docsStart, errorText as textOf } from '../../projections/wording/error-words.ts';
import { pageOf } from './doc-pages.ts';

/** What an error says; advice is for the command line. */
export function errorText(error: ErrorInfo): string {
  return textOf({ ...error, message: withAdvice(error.code, error.message) });
}

/** The message of an error of ours, with advice for who reads a terminal. */
export function withAdvice(code: string, message: string): string {
  const advice = ADVICE.find(([known, start]) => known === code && message.startsWith(start))?.[2];
  if (advice === undefined) return message;
  const docs = docsStart(message);
  const hint = message.lastIndexOf('\n', docs - 1);
  return docs === message.length || hint === -1
    ? message
    : `${message.slice(0, hint)}\n${advice}${message.slice(docs)}`;
}

/** The part of an error that says what was wrong: what to do is told where the run ends. */
export function problemOf(error: ErrorInfo): string {
  const text = errorText(error);
  const docs = docsStart(text);
  const hint = text.lastIndexOf('\n', docs - 1);
  return docs === text.length || hint === -1 ? text : text.slice(0, hint);
}

/** The text of an error with the address of its documentation: who reads a terminal may have no folder `docs`. */
export function withAddress(text: string): string {
  return text.replace(/^Docs: docs\/(errors\.md#[A-Z_]+)$/mu, (_, page: string) => `Docs: ${pageOf(page)}`);
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
  [
    'INPUT_MASKED',
    'Cannot ',
    'Start another run with that input; or add --allow-masked, where no task needs what is masked.',
  ],
  ['TASK_TIMEOUT', 'Cannot wait longer', 'Raise `timeout`, or make the work faster.'],
  [
    'RUN_ENDED',
    'Cannot resume',
    'Try what was not approved again with `phasegate retry`, or fork it with `phasegate fork`.',
  ],
  ['RUN_ENDED', 'Cannot try', 'Run a part of it again in a fork: phasegate fork <run> --at <phase>'],
  ['RUN_NOT_ENDED', 'Cannot try', 'Go on with it: phasegate resume <run>. What is approved is not run again.'],
  [
    'RUN_CHANGED',
    'Cannot resume',
    'Restore the definition that it was started with; or add --allow-changed, where the change is about phases that have not begun, or limits that were not reached.',
  ],
  [
    'RUN_CHANGED',
    'Cannot try',
    'Restore the definition that it was started with; or add --allow-changed, where the change is about limits, or phases that were not approved.',
  ],
  ['RUN_EXISTS', 'Cannot start', 'Go on with it with `phasegate resume`, or leave --run-id out.'],
  ['RUN_LEASED', 'Cannot acquire', 'Wait until it has let go of the run; `phasegate cancel` asks it to stop.'],
  ['RUN_LEASED', 'Cannot remove', 'Wait until it has let go of the run; `phasegate cancel` asks it to stop.'],
  ['LEASE_LOST', 'Cannot continue', 'Nothing needs repair. Show the status of the run: phasegate show <run>'],
  [
    'JOURNAL_DIVERGED',
    'Cannot tell',
    'Restore the definition, and the version of phasegate, that it was started with; or fork it before that record.',
  ],
  [
    'STORE_READ_ONLY',
    'Cannot open',
    'Give this user the right to write there; or name another file with --store, or --no-store.',
  ],
  ['STORE_UNREADABLE', 'Cannot open', 'Restore it from a copy, or name another file with --store.'],
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

/** The folder of this library: `src`, or `dist` if it is built. Its frames say nothing about a user's mistake. */
const LIBRARY = /^.*[/\\](?:src|dist)[/\\]/u.exec(fileURLToPath(import.meta.url))?.[0] ?? '';
