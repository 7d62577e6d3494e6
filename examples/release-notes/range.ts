/**
 * The range of the history that the notes cover.
 *
 * @module
 */
import { z } from 'zod';
import { GitError } from './git-error.ts';
import { git, tryGit, type GitOptions } from './git.ts';

/** The schema of a range: all commits of HEAD that `since` does not have. It has hashes, as branches may move. */
export const rangeSchema = z.object({
  /** The name of the start; `null` for the beginning of the history. */
  since: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string(),
});

export type Range = z.infer<typeof rangeSchema>;

/**
 * Finds the range.
 *
 * @param since The name of a commit. Without one, the latest tag below HEAD, or else the beginning.
 * @throws GitError if there is no repository, no history, or no such commit.
 */
export async function findRange(since: string | undefined, options: GitOptions): Promise<Range> {
  await requireRepository(options);
  const to = await hashOf('HEAD', options);
  if (to === undefined) throw noHistory(options.repo);
  const start = since ?? (await latestTag(options));
  if (start === undefined) return { since: null, from: null, to };
  const from = await hashOf(start, options);
  if (from === undefined) throw await unknownCommit(start, options);
  return { since: start, from, to };
}

/** Formats the range for git. */
export function revisionsOf({ from, to }: Range): string {
  return from === null ? to : `${from}..${to}`;
}

// --- internal ---

async function requireRepository(options: GitOptions): Promise<void> {
  const found = await tryGit(['rev-parse', '--git-dir'], options);
  if (found.ok) return;
  throw new GitError(
    'NOT_A_REPOSITORY',
    `Cannot read the history of "${options.repo}" as git says: ${found.said}`,
    'Pass a directory in a git repository as `repo`.',
    found.cause,
  );
}

async function hashOf(name: string, options: GitOptions): Promise<string | undefined> {
  const found = await tryGit(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], options);
  return found.ok ? found.stdout.trim() : undefined;
}

/** Returns the latest tag by date among those that HEAD contains, except for tags of HEAD itself. */
async function latestTag(options: GitOptions): Promise<string | undefined> {
  const tags = await listTags(['--merged=HEAD', '--no-contains=HEAD', '--count=1'], options);
  return tags[0];
}

async function listTags(filter: readonly string[], options: GitOptions): Promise<readonly string[]> {
  const format = '--format=%(refname:strip=2)';
  const order = ['--sort=-version:refname', '--sort=-creatordate'];
  const list = await git(['for-each-ref', ...order, format, ...filter, 'refs/tags'], options);
  return list.split('\n').filter((name) => name !== '');
}

function noHistory(repo: string): GitError {
  const problem = `Cannot read the history of "${repo}" as it has no commits yet`;
  return new GitError('NO_HISTORY', problem, 'Commit something first.');
}

async function unknownCommit(name: string, options: GitOptions): Promise<GitError> {
  const tags = await listTags(['--count=5'], options);
  const known = tags.length > 0 ? `The latest tags are ${tags.join(', ')}.` : 'The repository has no tags.';
  const problem = `Cannot read the history of "${options.repo}" as it has no commit named "${name}"`;
  return new GitError('COMMIT_UNKNOWN', problem, `${known} A clone may need "git fetch --tags".`);
}
