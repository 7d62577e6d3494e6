/**
 * The commits of a range, read from git.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { GitError } from './git-error.ts';
import { git, type GitOptions } from './git.ts';
import { revisionsOf, type Range } from './range.ts';

/** The schema of a commit. Merges are left out: they have no changes of their own, and the merged commits are in the range. */
export const commitSchema = z.object({
  hash: z.string(),
  /** The shortest unambiguous hash, with at least 8 digits. */
  short: z.string(),
  /** The first paragraph of the message on one line; empty if there is no message. */
  subject: z.string(),
  /** True if the message declares a breaking change. */
  breaking: z.boolean(),
  /** The description of the breaking change; empty if the message has none. */
  breakingNote: z.string(),
  /** All files that the commit touches. */
  paths: z.array(z.string()),
});

export type Commit = Readonly<z.infer<typeof commitSchema>>;

/**
 * Reads the commits of a range, newest first.
 *
 * @throws GitError if the clone is shallow and its history ends within the range, as the notes would miss commits.
 */
export async function readCommits(range: Range, options: GitOptions): Promise<Commit[]> {
  const log = await git(['log', ...LOG_OPTIONS, revisionsOf(range), '--'], options);
  const commits = parseLog(log);
  await requireWholeHistory(range, options);
  return commits;
}

/** Counts the merges in the range. */
export async function countMerges(range: Range, options: GitOptions): Promise<number> {
  return Number(await git(['rev-list', '--count', '--merges', revisionsOf(range), '--'], options));
}

// --- internal ---

/** Sets every option that a user's git configuration could change. NUL separates fields, as no message and no path contains it. */
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

/** Parses the log. Each commit is `NUL hash NUL short NUL subject NUL body NUL`, followed by paths that end with NUL. */
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

/** Finds breaking changes by Conventional Commits: `feat!: ...`, `feat(api)!: ...`, and the footer `BREAKING CHANGE: ...`. */
function breakingOf(subject: string, body: string): Pick<Commit, 'breaking' | 'breakingNote'> {
  const footer = /^BREAKING[ -]CHANGE: *([^]*)/mu.exec(body)?.[1];
  const breaking = footer !== undefined || /^\w+(?:\([^)]*\))?!:/u.test(subject);
  // The note ends with its paragraph, or before another footer such as "Reviewed-by:".
  const paragraph = footer?.split(/\n\s*\n|\n(?=[\w-]+(?:: | #))/u, 1)[0] ?? '';
  return { breaking, breakingNote: shortened(plain(paragraph)) };
}

/** Converts a text to one line without characters that control a terminal or change the text direction. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\s\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
}

const LONGEST_NOTE = 300;

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= LONGEST_NOTE ? text : `${characters.slice(0, LONGEST_NOTE).join('')}…`;
}

/** Refuses a shallow clone whose history ends within the range. Git reports the commits at the cut as the first ones of the history. */
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
