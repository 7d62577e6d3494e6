/**
 * The files of a workspace compared with commits: the proof that nothing is lost with it, and its changes.
 *
 * @module
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import type { Isolation } from '../isolation.ts';
import { changesOf } from '../git/changes.ts';
import { resolveName } from '../git/objects.ts';
import type { Changes } from '../port.ts';
import { lostCommits } from './own-commits.ts';
import { takeTree, type TakeOptions } from './take-tree.ts';

/** Options of {@link doubtAbout}. */
export interface ProofOptions extends Omit<TakeOptions, 'objects'> {
  /** Commits of which one has to have the files. */
  readonly commits: readonly string[];
  readonly isolation: Isolation;
}

/** Lists the files of a workspace that differ from a tree, without adding anything to the repository. */
export async function changesIn(options: Omit<TakeOptions, 'objects'>, before: string): Promise<Changes> {
  const objects = await objectsApart(options);
  const { tree } = await takeTree({ ...options, objects });
  return changesOf(options.repository, before, tree, { objects });
}

/**
 * Compares the files of a workspace with commits, without adding anything to the repository.
 *
 * @returns A reason to leave the folder as it is, as a sentence; `undefined` if nothing is lost with it.
 */
export async function doubtAbout(options: ProofOptions): Promise<string | undefined> {
  const { repository, commits, work } = options;
  const taken = await takeTree({ ...options, objects: await objectsApart(options) });
  if (!(await hasTree(repository, commits, taken.tree))) return 'Its files are not kept.';
  if (taken.nested.length > 0) return 'The history of a repository in it is not kept.';
  if (taken.submodules.length > 0) return 'Changes inside of a submodule are not kept.';
  if (taken.left.length > 0) return 'Paths that git refuses are not kept.';
  if (options.isolation !== 'clone') return undefined;
  const { kept: lost, problem } = await lostCommits(repository, work, commits);
  if (problem !== undefined) return `Commits in it may not be kept, as ${problem}.`;
  return lost.length > 0 ? 'Commits in it are not kept.' : undefined;
}

// --- internal ---

async function hasTree(repository: Repository, commits: readonly string[], tree: string): Promise<boolean> {
  for (const commit of commits) if ((await resolveName(repository, `${commit}^{tree}`)) === tree) return true;
  return false;
}

/** Makes a folder for new objects, in front of those of the repository. */
async function objectsApart({
  repository,
  scratch,
}: Pick<TakeOptions, 'repository' | 'scratch'>): Promise<readonly [string, string]> {
  const own = join(scratch, 'objects');
  await mkdir(own, { recursive: true });
  return [own, join(repository.commonDir, 'objects')];
}
