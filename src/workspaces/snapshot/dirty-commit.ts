/**
 * The user's uncommitted work as a commit. The user's index, stash, branches and files are only read.
 *
 * @module
 */
import { copyFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCommit } from '../git/commit.ts';
import type { Repository, RepositoryCall } from '../git/repository.ts';
import { textOf } from '../git/run-git.ts';
import type { Note } from '../note.ts';
import { addPaths, isSubmodule, listChanges, listUnmerged, removePaths } from './index-changes.ts';
import { nestedLeftOut } from './user-state.ts';
import { createPathKinds } from './path-kind.ts';

/** Options of {@link commitUncommitted}. */
export interface DirtyOptions {
  readonly repository: Repository;
  readonly head: string | undefined;
  /** A folder for the index. */
  readonly scratch: string;
  /** First line of the message. */
  readonly subject: string;
}

/** A commit of uncommitted work. */
export interface DirtyCommit {
  /** HEAD itself if there is no uncommitted work. */
  readonly commit: string;
  readonly notes: readonly Note[];
}

/** Commits tracked and untracked files, not ignored ones, on top of HEAD. Writes no ref. */
export async function commitUncommitted({ repository, head, scratch, subject }: DirtyOptions): Promise<DirtyCommit> {
  const { tree, nested } = await treeOfUser(repository, scratch);
  const notes = nestedLeftOut(nested);
  if (head !== undefined && (await repository.text(['rev-parse', `${head}^{tree}`])) === tree)
    return { commit: head, notes };
  const parents = head === undefined ? [] : [head];
  return { commit: await writeCommit(repository, { tree, parents, message: `${subject}\n` }), notes };
}

/** The files of the user's folder as a tree. */
export interface UserTree {
  readonly tree: string;
  /** Folders with repositories of their own, which the tree does not have. */
  readonly nested: readonly string[];
}

/** Writes the files of the user's folder as a tree, without repositories inside of it. */
export async function treeOfUser(repository: Repository, scratch: string): Promise<UserTree> {
  const index = join(scratch, 'user-index');
  await copyIndex(repository, index);
  // Filters run as with the user's own `git add`; without them, files of Git LFS would seem changed.
  const call: RepositoryCall = { workTree: repository.folder, index, filters: true };
  await repository.git(['update-index', '-q', '--refresh'], { ...call, codes: [0, 1] });
  const kinds = createPathKinds(repository.folder);
  const added: string[] = [];
  const removed: string[] = [];
  const nested: string[] = [];
  for (const { path, isTracked } of [
    ...(await listChanges(repository, call)),
    ...(await listUnmerged(repository, call)),
  ]) {
    if (path.endsWith('/')) {
      nested.push(textOf(path));
      continue;
    }
    const { kind } = await kinds.of(path);
    const isLink = kind === 'folder' && isTracked && (await isSubmodule(repository, call, path));
    if (kind === 'file' || kind === 'link' || isLink) added.push(path);
    else if (kind === 'gone' || kind === 'folder') removed.push(path);
  }
  await removePaths(repository, call, removed);
  await addPaths(repository, call, added);
  return { tree: await repository.text(['write-tree'], call), nested };
}

// --- internal ---

/** Copies the index, so that git need not read each file again. */
async function copyIndex({ gitDir }: Repository, to: string): Promise<void> {
  const own = join(gitDir, 'index');
  const stats = await stat(own).catch(() => undefined);
  // Before the first `git add`, there is none.
  if (!stats) return;
  await copyFile(own, to);
  // An entry that is as young as the index may have changed since, and git reads it again. A copy must not seem younger.
  const before = Math.floor(stats.mtimeMs / 1000) - 2;
  await utimes(to, before, before);
}
