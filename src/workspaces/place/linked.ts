/**
 * Working trees of the repository itself, for people who want to look into them with their tools.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { exclusively } from '../git/mutex.ts';
import type { Repository } from '../git/repository.ts';

/** Adds a working tree with the files of a commit and a detached HEAD. @returns The path of its index. */
export async function addWorkTree(repository: Repository, work: string, base: string): Promise<string> {
  // Outside, as the variable with an index would have the checkout write to that one.
  const args = ['--git-dir', repository.gitDir, 'worktree', 'add', '--quiet', '--detach', work, base];
  await exclusively(repository.commonDir, () => repository.outside(args, dirname(work)));
  const link = await readFile(join(work, '.git'), 'utf8');
  return join(link.slice('gitdir: '.length).trimEnd(), 'index');
}

/** Makes the repository forget a working tree whose folder is gone. */
export async function forgetWorkTree(repository: Repository, work: string): Promise<void> {
  await exclusively(repository.commonDir, () =>
    repository.git(['worktree', 'remove', '--force', '--force', work], { codes: [0, 128] }),
  );
}

/** Makes the repository forget working trees below a folder that are gone. Those that git is adding are locked, and stay. */
export async function forgetMissing(repository: Repository, below: string): Promise<void> {
  for (const lines of await entriesOf(repository)) {
    const work = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length) ?? '';
    if (!work.startsWith(`${below}${sep}`) || existsSync(work)) continue;
    await exclusively(repository.commonDir, () =>
      repository.git(['worktree', 'remove', '--force', work], { codes: [0, 128] }),
    );
  }
}

/** Returns the commit of a working tree with a detached HEAD; `undefined` if it has a branch, which names its commits. */
export async function detachedHead(repository: Repository, work: string): Promise<string | undefined> {
  const entries = await entriesOf(repository);
  const own = entries.find((lines) => lines.includes(`worktree ${work}`)) ?? [];
  return own.includes('detached') ? own.find((line) => line.startsWith('HEAD '))?.slice('HEAD '.length) : undefined;
}

// --- internal ---

/** The working trees of a repository, each as its lines. */
async function entriesOf(repository: Repository): Promise<readonly (readonly string[])[]> {
  const { output } = await repository.git(['worktree', 'list', '--porcelain', '-z']);
  const entries = output.toString('utf8').split('\0\0');
  return entries.map((entry) => entry.split('\0'));
}
