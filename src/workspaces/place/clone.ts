/**
 * Clones, which share nothing with the repository. Git runs in a clone only here, before an agent gets it.
 *
 * @module
 */
import { copyFile, lstat, mkdir, rename, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repository, RepositoryCall } from '../git/repository.ts';
import { removeTree } from '../marker/remove-tree.ts';

/**
 * Clones the repository to a new folder, with the files of a commit and a detached HEAD.
 *
 * @param files A folder that {@link makeFiles} has made for any commit. Its files are moved, and those that differ are written.
 * @returns The path of the index.
 */
export async function makeClone(repository: Repository, work: string, base: string, files?: string): Promise<string> {
  await copyRepository(repository, work, base);
  await repository.git(['remote', 'remove', 'origin'], { freshGitDir: join(work, '.git') });
  await copyRules(repository, work);
  if (files !== undefined) await moveFiles(files, work);
  return checkOut(repository, work, base);
}

/**
 * Makes a folder with the files of a commit for a later clone. Its `.git` has no objects, so no agent may get it.
 *
 * One process of git writes the files, as agents are at work meanwhile.
 */
export async function makeFiles(repository: Repository, folder: string, commit: string): Promise<void> {
  const { commonDir, conversions, zero } = repository;
  // A clone that shares the objects would have them all copied if the repository is shallow.
  const format = zero.length === 64 ? 'sha256' : 'sha1';
  const init = ['init', '--quiet', '--template=', `--object-format=${format}`, '--', folder];
  await repository.outside(init, dirname(folder));
  await copyRules(repository, folder);
  const settings = ['checkout.workers=1', ...conversions].flatMap((setting) => ['-c', setting]);
  const objects = [join(folder, '.git', 'objects'), join(commonDir, 'objects')] as const;
  await checkOut(repository, folder, commit, { settings, objects });
}

/** True if a folder that {@link makeFiles} has made has no other files than its index, ignored ones included. */
export async function hasNoOtherFiles(repository: Repository, folder: string): Promise<boolean> {
  const call = { workTree: folder, index: join(folder, '.git', 'index'), maxBytes: MOST_BYTES, cut: true };
  return (await repository.git(['ls-files', '--others', '-z'], call)).output.length === 0;
}

// --- internal ---

interface CheckOutOptions extends Pick<RepositoryCall, 'objects'> {
  /** Arguments before the command. @default none */
  readonly settings?: readonly string[];
}

async function checkOut(
  repository: Repository,
  work: string,
  commit: string,
  { settings = [], objects }: CheckOutOptions = {},
): Promise<string> {
  const freshGitDir = join(work, '.git');
  const checkout = [...settings, 'checkout', '--quiet', '--force', '--detach', '--no-recurse-submodules', commit];
  const index = join(freshGitDir, 'index');
  await repository.git(checkout, { freshGitDir, workTree: work, index, objects });
  return index;
}

async function copyRules(repository: Repository, work: string): Promise<void> {
  const to = join(work, '.git');
  for (const name of ['exclude', 'attributes']) await copySmall(repository.commonDir, to, join('info', name));
}

/** Gives a clone without files those of another folder, and the index of both. */
async function moveFiles(from: string, work: string): Promise<void> {
  const [own, other] = [join(work, '.git'), join(from, '.git')];
  const index = join(own, 'index');
  await rename(join(other, 'index'), index);
  await settleIndex(index, join(own, 'HEAD'));
  await removeTree(other);
  await rename(own, other);
  await rmdir(work);
  await rename(from, work);
}

/**
 * Moves the time of an index to the second in which a file was written, if that is later. Git reads each file again that is as young as its
 * index. No one else has written to the folder since, so none of them has changed.
 */
async function settleIndex(index: string, file: string): Promise<void> {
  const [before, now] = [await stat(index), await stat(file)].map(({ mtimeMs }) => Math.floor(mtimeMs / 1000));
  if (before !== undefined && now !== undefined && now > before) await utimes(index, now, now);
}

function cloneWith(repository: Repository, work: string, how: readonly string[]): Promise<unknown> {
  const { commonDir, conversions } = repository;
  const words = ['clone', '--quiet', '--no-tags', '--no-checkout', '--no-recurse-submodules', '--template='];
  const settings = conversions.flatMap((setting) => ['--config', setting]);
  const all = [...words, '--origin', 'origin', ...settings, ...how, '--', commonDir, work];
  return repository.outside(all, dirname(work));
}

async function copyRepository(repository: Repository, work: string, base: string): Promise<void> {
  // Of a repository that is shallow, git copies no files, and says so only as a warning.
  if (await isShallow(repository)) return fetchRepository(repository, work, base);
  try {
    // Copies files, so that no commit is missing, not even one without a branch. Hard links would let an agent change
    // the objects of the user's repository.
    await cloneWith(repository, work, ['--local', '--no-hardlinks']);
  } catch (error) {
    if (repository.signal.aborted) throw error;
    // Git copies no repository that has symbolic links among its objects.
    await removeTree(work);
    await fetchRepository(repository, work, base);
  }
}

/**
 * Clones the commits of all refs, and the base. An agent may be told the id of an earlier attempt, which is on no branch.
 *
 * The clone ends its history at the commits at which that of the repository ends.
 */
async function fetchRepository(repository: Repository, work: string, base: string): Promise<void> {
  // The names go with the remote, as all of `refs/remotes` do that it fetches.
  const everything = ['--config', 'remote.origin.fetch=+refs/*:refs/remotes/all/*'];
  await cloneWith(repository, work, ['--no-local', '--no-reject-shallow', ...everything]);
  // The first protocol refuses a commit that no ref names.
  const fetch = ['-c', 'protocol.version=2', 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];
  const how = ['--update-shallow', '--no-recurse-submodules'];
  await repository.git([...fetch, ...how, repository.commonDir, base], { freshGitDir: join(work, '.git') });
}

/** True if the history of a repository ends early. It may have changed since the start of this process. */
async function isShallow({ commonDir }: Repository): Promise<boolean> {
  return (await lstat(join(commonDir, 'shallow')).catch(() => undefined)) !== undefined;
}

/** Most bytes of a file of rules. */
const MOST_BYTES = 1_000_000;

async function copySmall(from: string, to: string, name: string): Promise<void> {
  const stats = await lstat(join(from, name)).catch(() => undefined);
  if (!stats?.isFile() || stats.size > MOST_BYTES) return;
  await mkdir(dirname(join(to, name)), { recursive: true });
  await copyFile(join(from, name), join(to, name));
}
