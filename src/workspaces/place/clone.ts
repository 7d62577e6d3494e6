/**
 * Clones, which share nothing with the repository. Git runs in a clone only here, before an agent gets it.
 *
 * @module
 */
import { copyFile, lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { removeTree } from '../marker/remove-tree.ts';

/** Clones the repository to a new folder, with the files of a commit and a detached HEAD. @returns The path of its index. */
export async function makeClone(repository: Repository, work: string, base: string): Promise<string> {
  await copyRepository(repository, work, base);
  const freshGitDir = join(work, '.git');
  await repository.git(['remote', 'remove', 'origin'], { freshGitDir });
  for (const name of ['exclude', 'attributes']) await copySmall(repository.commonDir, freshGitDir, join('info', name));
  const checkout = ['checkout', '--quiet', '--force', '--detach', '--no-recurse-submodules', base];
  const index = join(freshGitDir, 'index');
  await repository.git(checkout, { freshGitDir, workTree: work, index });
  return index;
}

// --- internal ---

async function copyRepository(repository: Repository, work: string, base: string): Promise<void> {
  const { commonDir, conversions } = repository;
  const settings = conversions.flatMap((setting) => ['--config', setting]);
  const words = [
    'clone',
    '--quiet',
    '--no-tags',
    '--no-checkout',
    '--no-recurse-submodules',
    '--template=',
    '--origin',
  ];
  const clone = (how: readonly string[]) =>
    repository.outside([...words, 'origin', ...settings, ...how, '--', commonDir, work], dirname(work));
  try {
    // Copies files, so that no commit is missing, not even one without a branch. Hard links would let an agent change
    // the objects of the user's repository.
    await clone(['--local', '--no-hardlinks']);
  } catch (error) {
    if (repository.signal.aborted) throw error;
    // Git copies no repository that has symbolic links among its objects.
    await removeTree(work);
    await clone(['--no-local']);
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
    await repository.git([...fetch, commonDir, base], { freshGitDir: join(work, '.git') });
  }
}

/** Most bytes of a file of rules. */
const MOST_BYTES = 1_000_000;

async function copySmall(from: string, to: string, name: string): Promise<void> {
  const stats = await lstat(join(from, name)).catch(() => undefined);
  if (!stats?.isFile() || stats.size > MOST_BYTES) return;
  await mkdir(dirname(join(to, name)), { recursive: true });
  await copyFile(join(from, name), join(to, name));
}
