/**
 * Differences between a folder and an index, and their way into the index, path by path.
 *
 * @module
 */
import type { Repository, RepositoryCall } from '../git/repository.ts';
import { bytesOf, itemsOf, textOf } from '../git/run-git.ts';

/** A path with slashes, of which every character is a byte. That of a repository inside of the folder ends with a slash. */
export interface Change {
  readonly path: string;
  readonly isTracked: boolean;
}

/** Lists what differs from the index or is missing in it, without what is ignored. */
export async function listChanges(repository: Repository, call: RepositoryCall): Promise<readonly Change[]> {
  const list = ['ls-files', '-t', '--modified', '--others', '--exclude-standard', '-z'];
  const { output, said } = await repository.git(list, call);
  const changes = [...new Set(itemsOf(output))].map((item) => ({
    path: item.slice(2),
    isTracked: !item.startsWith('?'),
  }));
  // Git continues without a folder that it may not read.
  return said.includes('could not open directory') ? [...changes, { path: CLOSED_FOLDER, isTracked: false }] : changes;
}

/** Lists paths with a merge conflict. */
export async function listUnmerged(repository: Repository, call: RepositoryCall): Promise<readonly Change[]> {
  const { output } = await repository.git(['ls-files', '--unmerged', '-z'], call);
  const paths = itemsOf(output).map((item) => item.slice(item.indexOf('\t') + 1));
  return [...new Set(paths)].map((path) => ({ path, isTracked: true }));
}

/** True if a path of the index is a submodule. */
export async function isSubmodule(repository: Repository, call: RepositoryCall, path: string): Promise<boolean> {
  const { output } = await repository.git(['ls-files', '--stage', '-z', '--', textOf(path)], call);
  return itemsOf(output).some((item) => item.startsWith('160000 ') && item.endsWith(`\t${path}`));
}

/** Removes paths from an index. */
export async function removePaths(
  repository: Repository,
  call: RepositoryCall,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await repository.git(['update-index', '--force-remove', '-z', '--stdin'], { ...call, input: inputOf(paths) });
}

/**
 * Puts files into an index. A file replaces a folder of the same name, and the other way round.
 *
 * @returns False if git may have left some out. It refuses names such as `.git/config`, says so, and goes on.
 */
export async function addPaths(
  repository: Repository,
  call: RepositoryCall,
  paths: readonly string[],
): Promise<boolean> {
  if (paths.length === 0) return true;
  const add = ['update-index', '--add', '--replace', '-z', '--stdin'];
  return (await repository.git(add, { ...call, input: inputOf(paths) })).said === '';
}

// --- internal ---

/** Stands for a folder whose name git does not list. */
const CLOSED_FOLDER = '(a folder that cannot be read)';

function inputOf(paths: readonly string[]): Buffer {
  return bytesOf(paths.map((path) => `${path}\0`).join(''));
}
