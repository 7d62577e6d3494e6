/**
 * Error texts for a terminal: with advice for the command line, and the place in the user's code.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import type { ErrorCode, ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { docsStart, errorText as textOf } from '../../projections/wording/error-words.ts';
import { pageOf } from './doc-pages.ts';
import { argument } from './text.ts';

/** Returns the text of an error with advice for the command line. */
export function errorText(error: ErrorInfo): string {
  return textOf({ ...error, message: withAdvice(error.code, error.message) });
}

/** Replaces the hint of a phasegate error by advice for the command line, if there is some. It names the run of the error. */
export function withAdvice(code: string, message: string): string {
  const advice = ADVICE.find(([known, words]) => known === code && message.includes(words))?.[2];
  if (advice === undefined) return message;
  const [, run] = RUN.exec(message) ?? [];
  const named = run === undefined ? advice : advice.replaceAll('<run>', () => argument(run));
  const docs = docsStart(message);
  const hint = message.lastIndexOf('\n', docs - 1);
  return docs === message.length || hint === -1 ? message : `${message.slice(0, hint)}\n${named}${message.slice(docs)}`;
}

/** Says that the commands in a hint need the store of this one. @param store The store; `undefined` if they need no name of it. */
export function withStore(message: string, store: string | undefined): string {
  const count = message.match(COMMAND_ON_STORE)?.length ?? 0;
  if (store === undefined || count === 0 || message.includes(' --store')) return message;
  const docs = docsStart(message);
  const need = count === 1 ? 'That command needs' : 'These commands need';
  return `${message.slice(0, docs)}\n${need} --store ${argument(store)}.${message.slice(docs)}`;
}

/** Returns the text of an error without its hint, which is printed at the end of the run. */
export function problemOf(error: ErrorInfo): string {
  const text = errorText(error);
  const docs = docsStart(text);
  const hint = text.lastIndexOf('\n', docs - 1);
  if (docs === text.length || hint === -1) return text;
  // A list of problems ends without a hint, as each problem has its own.
  return text.slice(0, text.startsWith('\n  ', hint) ? docs : hint);
}

/** Replaces the path of the documentation by its address, as the user may have no `docs` folder. */
export function withAddress(text: string): string {
  return text.replace(/^Docs: docs\/(errors\.md#[A-Z_]+)$/mu, (_, page: string) => `Docs: ${pageOf(page)}`);
}

/** Returns the first stack frame in the user's code; `undefined` if the stack has none. */
export function originOf({ stack }: ErrorInfo): string | undefined {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  const own = frames.find(
    (line) => !/node:|node_modules|<anonymous>$/u.test(line) && !line.includes(LIBRARY) && /[/\\]/u.test(line),
  );
  return own?.trim();
}

// --- internal ---

/** The run of an error, by the words around its id. An id with spaces is not found. */
const RUN = /^Cannot \w+ (?:the journal of |phase "[^"]*" of )?run (\S+) (?:again|as|from|with) /u;

const COMMAND_ON_STORE =
  /phasegate (?:cancel|events|export|fork|ls|resume|retry|run <pipeline> --detach|show|verify)\b/gu;

const SEEK_GOOD =
  'Restore the definition, and the version of phasegate, that the run was started with. If both are those, let `phasegate verify <run>` find its good records, and fork it there.';

/** Advice for the command line, as the library's own hints are for code that calls it. Found by error code and words of the message. */
const ADVICE: readonly (readonly [code: ErrorCode, words: string, advice: string])[] = [
  ['INPUT_INVALID', 'Cannot start a run', 'Give it with --input key=text, --input key:=json, or --input-file.'],
  [
    'INPUT_MASKED',
    'Cannot ',
    'Start another run with that input; or add --allow-masked, if no task needs the masked values.',
  ],
  ['TASK_TIMEOUT', 'Cannot wait longer', 'Raise `timeout`, or make the work faster.'],
  [
    'RUN_ENDED',
    'Retry its unapproved phases',
    'Run the phases that were not approved again with `phasegate retry`, or fork the run with `phasegate fork`.',
  ],
  ['RUN_ENDED', 'Fork it to run a part', 'Run a part of it again in a fork: phasegate fork <run> --at <phase>'],
  ['RUN_NOT_ENDED', 'Cannot try', 'Resume it: phasegate resume <run>. Approved phases do not run again.'],
  [
    'RUN_CHANGED',
    'Cannot resume',
    'Restore the definition that the run was started with; or add --allow-changed, if only phases that have not started or limits that were not reached have changed.',
  ],
  [
    'RUN_CHANGED',
    'Cannot try',
    'Restore the definition that the run was started with; or add --allow-changed, if only limits or phases that were not approved have changed.',
  ],
  ['RUN_EXISTS', 'Cannot start', 'Resume it with `phasegate resume`, or leave --run-id out.'],
  ['RUN_LEASED', 'Cannot import', 'Wait until that process has stored the run, or name another id with --run-id.'],
  ['RUN_LEASED', 'works on it until', 'Wait until that process releases the run; `phasegate cancel` asks it to stop.'],
  ['LEASE_LOST', 'Cannot continue', 'Nothing needs repair. Show the status of the run: phasegate show <run>'],
  ['JOURNAL_DIVERGED', 'Cannot replay', SEEK_GOOD],
  ['JOURNAL_DIVERGED', 'Cannot restore', SEEK_GOOD],
  [
    'JOURNAL_DIVERGED',
    'Cannot resume',
    'Leave phases that have begun unchanged; or begin at the changed phase: phasegate fork <run> --at <phase> --run --allow-changed',
  ],
  [
    'STORE_READ_ONLY',
    'Cannot open',
    'Give this user the right to write there, or name another file with --store. Only `run` can do without a store: --no-store.',
  ],
  [
    'REVIEW_UNAVAILABLE',
    'Cannot judge',
    'The work was not rejected. Repair the reviewer, raise maxReviewErrors, or run it on a terminal, where you are asked.',
  ],
];

/** The folder of this library: `src`, or `dist` if it is built. Its frames say nothing about a user's mistake. */
const LIBRARY = /^.*[/\\](?:src|dist)[/\\]/u.exec(fileURLToPath(import.meta.url))?.[0] ?? '';
