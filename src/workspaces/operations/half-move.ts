/**
 * Undoing of a move of the user's files that has ended halfway, as git or the machine was stopped.
 *
 * Nothing that only the user has is changed: each file that is put back has the content of the work of the run, or is missing.
 *
 * @module
 */
import { constants } from 'node:fs';
import { copyFile, lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { bytesOf, itemsOf } from '../git/run-git.ts';

/** A move of files from one commit to another. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** Folder for temporary files. */
  readonly scratch: string;
}

/**
 * Puts back the files that a move has brought to its end, or has removed on the way. Files with any other content stay as they are.
 * Idempotent. Does nothing while another process writes the index.
 */
export async function undoHalfMove(repository: Repository, move: Move): Promise<void> {
  await withOwnIndex(repository, move.scratch, async (index) => {
    const { folder } = repository;
    const others = await differing(repository, move);
    const staged = await stagedOtherwise(repository, move, index);
    const back: string[] = [];
    for (const { status, path } of await changesOf(repository, move)) {
      if (staged.has(path)) continue;
      const isMoved = !others.has(path);
      const isAbsent = await isMissing(folder, path);
      if (status === 'A') {
        if (isMoved && !isAbsent) await rm(fullPath(folder, path));
      } else if (isAbsent || (isMoved && status !== 'D')) back.push(path);
    }
    if (back.length === 0) return;
    const list = Buffer.from(back.map((path) => `${path}\0`).join(''), 'latin1');
    const checkout = ['checkout', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul', move.from];
    await repository.git(checkout, { workTree: folder, index, filters: true, input: list });
  });
}

// --- internal ---

/** Calls a function with a copy of the user's index, which it may change, while no other process can write the index. */
async function withOwnIndex(
  { gitDir }: Repository,
  scratch: string,
  call: (index: string) => Promise<void>,
): Promise<void> {
  const [index, lock, copy] = [join(gitDir, 'index'), join(gitDir, 'index.lock'), join(scratch, 'own-index')];
  try {
    await copyFile(index, lock, constants.COPYFILE_EXCL);
  } catch {
    // It is locked, or there is no index. What follows finds out.
    return;
  }
  try {
    await copyFile(index, copy);
    await call(copy);
    await copyFile(copy, lock);
    await rename(lock, index);
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
}

interface Change {
  /** As of `git diff-tree --name-status`, such as `A` for a file that only the end of the move has. */
  readonly status: string;
  /** Each character is a byte. */
  readonly path: string;
}

async function changesOf(repository: Repository, { from, to }: Move): Promise<readonly Change[]> {
  const { output } = await repository.git(['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to]);
  const items = itemsOf(output);
  return items.flatMap((path, at) => (at % 2 === 1 ? [{ status: items[at - 1] ?? '', path }] : []));
}

/** Returns the files of the end of the move whose content, kind or mode is another one in the user's folder. */
async function differing(repository: Repository, { to, scratch }: Move): Promise<ReadonlySet<string>> {
  const call = { workTree: repository.folder, index: join(scratch, 'moved'), filters: true };
  await repository.git(['read-tree', to], call);
  await repository.git(['update-index', '-q', '--refresh'], { ...call, codes: [0, 1] });
  const { output } = await repository.git(['diff-files', '-z', '--name-only'], call);
  return new Set(itemsOf(output));
}

/** Returns the files of which the user has staged another content than that of either end. */
async function stagedOtherwise(
  repository: Repository,
  { from, to }: Move,
  index: string,
): Promise<ReadonlySet<string>> {
  const unlike = async (commit: string) => {
    const { output } = await repository.git(['diff-index', '-z', '--name-only', '--cached', commit], { index });
    return itemsOf(output);
  };
  const unlikeEnd = new Set(await unlike(to));
  return new Set((await unlike(from)).filter((path) => unlikeEnd.has(path)));
}

/** True if nothing is there. False if a link or a file of the user is in the place of a folder above. */
async function isMissing(folder: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const found = await lstat(fullPath(folder, parts.slice(0, count).join('/'))).catch(() => undefined);
    if (found === undefined) return true;
    if (count < parts.length && !found.isDirectory()) return false;
  }
  return false;
}

function fullPath(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), bytesOf(path)]);
}
