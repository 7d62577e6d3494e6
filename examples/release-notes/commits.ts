/**
 * The commits of a range, as facts.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { GitError } from './git-error.ts';
import { git, type GitOptions } from './git.ts';
import { revisionsOf, type Range } from './range.ts';

/** One commit. Merges are left out: they carry no change of their own, and what they merge is in the range. */
export const commitSchema = z.object({
  hash: z.string(),
  /** As short as git can make it without ambiguity, and at least 8 digits. */
  short: z.string(),
  /** The first paragraph of the message on one line; empty where there is no message. */
  subject: z.string(),
  /** Whether its author says that users have to change something. */
  breaking: z.boolean(),
  /** What they have to change, where the message says it; else empty. */
  breakingNote: z.string(),
  /** Every file that it touches. */
  paths: z.array(z.string()),
});

export type Commit = Readonly<z.infer<typeof commitSchema>>;

/**
 * Reads the commits of a range, newest first.
 *
 * @throws GitError where the clone is shallow and its history ends within the range: the notes would miss commits.
 */
export async function readCommits(range: Range, options: GitOptions): Promise<Commit[]> {
  const log = await git(['log', ...LOG_OPTIONS, revisionsOf(range), '--'], options);
  const commits = parseLog(log);
  await requireWholeHistory(range, options);
  return commits;
}

/** How many merges the range has. */
export async function countMerges(range: Range, options: GitOptions): Promise<number> {
  return Number(await git(['rev-list', '--count', '--merges', revisionsOf(range), '--'], options));
}

// --- internal ---

/** Says everything that a user's git configuration could change. A NUL can be in no message and in no path. */
const LOG_OPTIONS = [
  '-z',
  '--no-merges',
  '--no-show-signature',
  '--encoding=UTF-8',
  '--name-only',
  '--no-renames',
  '--no-relative',
  '--abbrev=8',
  '--format=tformat:%x00%H%x00%h%x00%s%x00%b',
];

/** Reads `NUL hash NUL short NUL subject NUL body NUL`, then paths, each with its NUL, per commit. */
function parseLog(log: string): Commit[] {
  const fields = log.split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + 4 < fields.length;) {
    const [hash = '', short = '', subject = '', body = ''] = fields.slice(at + 1, at + 5);
    // A path is never empty, so an empty field begins the next commit.
    const next = fields.indexOf('', at + 5);
    const end = next === -1 ? fields.length : next;
    const paths = fields.slice(at + 5, end).map((path, index) => (index === 0 ? path.replace(/^\n/u, '') : path));
    commits.push({ hash, short, subject: plain(subject), ...breakingOf(subject, body), paths });
    at = end;
  }
  return commits;
}

/** `feat!: ...` or `feat(api)!: ...`, and the footer `BREAKING CHANGE: ...`, as Conventional Commits have them. */
function breakingOf(subject: string, body: string): Pick<Commit, 'breaking' | 'breakingNote'> {
  const footer = /^BREAKING[ -]CHANGE: *([^]*)/mu.exec(body)?.[1];
  const breaking = footer !== undefined || /^\w+(?:\([^)]*\))?!:/u.test(subject);
  // The note ends with its paragraph, or where another footer such as "Reviewed-by:" begins.
  const paragraph = footer?.split(/\n\s*\n|\n(?=[\w-]+(?:: | #))/u, 1)[0] ?? '';
  return { breaking, breakingNote: shortened(plain(paragraph)) };
}

/** On one line, without characters that control a terminal or turn the direction of text. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\s\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
}

const LONGEST_NOTE = 300;

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= LONGEST_NOTE ? text : `${characters.slice(0, LONGEST_NOTE).join('')}…`;
}

/** In a shallow clone git takes the commits where it was cut off for the first ones of the history. */
async function requireWholeHistory(range: Range, options: GitOptions): Promise<void> {
  const path = (await git(['rev-parse', '--git-path', 'shallow'], options)).trim();
  const cut = await readFile(resolve(options.repo, path), 'utf8').catch(() => '');
  if (cut === '') return;
  const first = await git(['rev-list', '--max-parents=0', revisionsOf(range), '--'], options);
  const ends = new Set(cut.split('\n'));
  if (!first.split('\n').some((hash) => hash !== '' && ends.has(hash))) return;
  throw new GitError(
    'SHALLOW',
    `Cannot collect the commits of "${options.repo}" as the clone is shallow and its history ends within the range`,
    'Run "git fetch --unshallow --tags" there, or pass a later commit as `since`.',
  );
}
