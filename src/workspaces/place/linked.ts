/**
 * Working trees of the repository itself, for people who want to look into them with their tools.
 *
 * @module
 */
import { dirname } from 'node:path';
import { exclusively } from '../git/mutex.ts';
import type { Repository } from '../git/repository.ts';

/** Adds a working tree with the files of a commit and a detached HEAD. */
export async function addWorkTree(repository: Repository, work: string, base: string): Promise<void> {
  // Outside, as the variable with an index would have the checkout write to that one.
  const args = ['--git-dir', repository.gitDir, 'worktree', 'add', '--quiet', '--detach', work, base];
  await exclusively(repository.commonDir, () => repository.outside(args, dirname(work)));
}

/** Makes the repository forget a working tree whose folder is gone. */
export async function forgetWorkTree(repository: Repository, work: string): Promise<void> {
  await exclusively(repository.commonDir, () =>
    repository.git(['worktree', 'remove', '--force', '--force', work], { codes: [0, 128] }),
  );
}

/** Returns the commit of a working tree with a detached HEAD; `undefined` if it has a branch, which names its commits. */
export async function detachedHead(repository: Repository, work: string): Promise<string | undefined> {
  const { output } = await repository.git(['worktree', 'list', '--porcelain', '-z']);
  const entries = output
    .toString('utf8')
    .split('\0\0')
    .map((entry) => entry.split('\0'));
  const own = entries.find((lines) => lines.includes(`worktree ${work}`)) ?? [];
  return own.includes('detached') ? own.find((line) => line.startsWith('HEAD '))?.slice('HEAD '.length) : undefined;
}
