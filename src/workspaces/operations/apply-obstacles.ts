/**
 * Reasons why the user's branch and files cannot be moved forward to the work of a run.
 *
 * @module
 */
import { copyFile, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { itemsOf, textOf } from '../git/run-git.ts';
import { createPathKinds } from '../snapshot/path-kind.ts';
import { operationIn } from '../snapshot/user-state.ts';
import type { Move } from './half-move.ts';

/** A reason, as a sentence, and the files that are in the way. */
export interface Obstacle {
  readonly reason: string;
  readonly paths?: readonly string[];
}

/** Returns the first reason; `undefined` if there is none. Changes nothing. */
export async function obstacleTo(repository: Repository, { from, to, scratch }: Move): Promise<Obstacle | undefined> {
  if (from === to) return undefined;
  const head = await repository.git(['symbolic-ref', '--quiet', 'HEAD'], { codes: [0, 1] });
  if (head.code !== 0) return { reason: 'HEAD is on no branch.' };
  const operation = await operationIn(repository);
  if (operation !== undefined)
    return { reason: `A ${operation} is in progress. End it first: ${waysToEnd(operation)}.` };
  if (await isLocked(repository)) return { reason: 'Another git process is at work, or has left a lock.' };
  const isAhead = await repository.git(['merge-base', '--is-ancestor', from, to], { codes: [0, 1] });
  const branch = head.output
    .toString('utf8')
    .trim()
    .replace(/^refs\/heads\//u, '');
  if (isAhead.code !== 0) return { reason: `The branch "${branch}" has commits that the run does not have.` };
  const index = join(scratch, 'index');
  await copyFile(join(repository.gitDir, 'index'), index);
  const call = { workTree: repository.folder, index, filters: true };
  await repository.git(['update-index', '-q', '--refresh'], { ...call, codes: [0, 1] });
  const trial = await repository.git(['read-tree', '-m', '-u', '--dry-run', from, to], { ...call, codes: [0, 1, 128] });
  const covered = await coveredFiles(repository, from, to);
  if (trial.code === 0 && covered.length === 0) return undefined;
  const { output } = await repository.git(['diff-index', '-z', '--name-only', from], call);
  const moved = new Set(await changedFiles(repository, from, to));
  const changed = itemsOf(output).filter((path) => moved.has(path));
  const paths = [...new Set([...changed, ...covered])].toSorted().slice(0, MOST_PATHS).map(textOf);
  const reason = 'Files that you have changed, or that git does not track, would be overwritten.';
  return paths.length > 0 ? { reason, paths } : { reason };
}

/** Returns the command that ends an operation of git, and keeps its result. */
export function endOf(operation: string): string {
  return operation === 'bisection' ? 'git bisect reset' : `git ${operation} --continue`;
}

// --- internal ---

/** Most files that are named. */
const MOST_PATHS = 100;

/** True if git would refuse to write the index of the user. */
function isLocked(repository: Repository): Promise<boolean> {
  return lstat(join(repository.gitDir, 'index.lock')).then(
    () => true,
    () => false,
  );
}

function waysToEnd(operation: string): string {
  return operation === 'bisection' ? endOf(operation) : `${endOf(operation)}, or git ${operation} --abort`;
}

async function changedFiles(
  repository: Repository,
  from: string,
  to: string,
  ...only: readonly string[]
): Promise<readonly string[]> {
  const list = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', ...only, from, to];
  return itemsOf((await repository.git(list)).output);
}

/** Returns what exists in the place of a new file. Git would overwrite it if it is ignored. */
async function coveredFiles(repository: Repository, from: string, to: string): Promise<readonly string[]> {
  const kinds = createPathKinds(repository.folder);
  const covered: string[] = [];
  for (const path of await changedFiles(repository, from, to, '--diff-filter=A')) {
    const { kind } = await kinds.of(path);
    if (kind !== 'gone' && kind !== 'folder') covered.push(path);
  }
  return covered;
}
