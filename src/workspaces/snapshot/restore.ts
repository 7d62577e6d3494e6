/**
 * The user's own folder, set back to a commit for work in place.
 *
 * Whatever differs is kept as a commit first. Ignored files stay, and no file is deleted that the commit does not have.
 *
 * @module
 */
import { rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { messageOf, writeCommit } from '../git/commit.ts';
import { attemptRef } from '../git/names.ts';
import { createRef } from '../git/refs.ts';
import { resolveName } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { bytesOf, itemsOf } from '../git/run-git.ts';
import type { Note } from '../note.ts';
import type { AttemptPlace } from '../port.ts';
import { treeOfUser } from './dirty-commit.ts';
import { createPathKinds } from './path-kind.ts';

/** Options of {@link restoreFolder}. */
export interface RestoreOptions {
  readonly repository: Repository;
  readonly place: AttemptPlace;
  readonly base: string;
  /** A folder for indexes. */
  readonly scratch: string;
}

/** Gives the user's folder the files of a commit. @returns A note with the ref of its earlier content, if that differed. */
export async function restoreFolder({ repository, place, base, scratch }: RestoreOptions): Promise<readonly Note[]> {
  const [{ tree: now }, wanted] = [
    await treeOfUser(repository, scratch),
    await resolveName(repository, `${base}^{tree}`),
  ];
  if (now === wanted) return [];
  const message = messageOf(place, 'content of the folder before this attempt');
  const commit = await writeCommit(repository, { tree: now, parents: [base], message });
  const ref = `${attemptRef('left', place)}/${commit.slice(0, 12)}`;
  await createRef(repository, ref, commit);
  const { output } = await repository.git(['diff-tree', '-r', '-z', '--name-status', '--no-renames', base, commit]);
  const items = itemsOf(output);
  const pairs = items.flatMap((status, at) => (at % 2 === 0 ? [{ status, path: items[at + 1] ?? '' }] : []));
  await deleteFiles(
    repository,
    pairs.flatMap(({ status, path }) => (status === 'A' ? [path] : [])),
  );
  await writeFiles(
    repository,
    base,
    scratch,
    pairs.flatMap(({ status, path }) => (status === 'A' ? [] : [path])),
  );
  if ((await treeOfUser(repository, scratch)).tree !== wanted) {
    throw new PhasegateError('WORKSPACE_REFUSED', `Cannot set ${repository.folder} back as its files keep changing`, {
      hint: `Stop programs that write to it. Its content from before is in ${ref}.`,
    });
  }
  return [
    { code: 'restored', text: `The folder was set back to the base. Its content from before is kept in ${ref}.` },
  ];
}

// --- internal ---

async function deleteFiles({ folder }: Repository, paths: readonly string[]): Promise<void> {
  const kinds = createPathKinds(folder);
  for (const path of paths) {
    const { kind } = await kinds.of(path);
    if (kind !== 'file' && kind !== 'link') continue;
    await unlink(bytesOf(`${Buffer.from(`${folder}/`).toString('latin1')}${path}`));
    await removeEmpty(folder, path);
  }
}

/** Removes folders that have become empty. */
async function removeEmpty(folder: string, path: string): Promise<void> {
  const parts = path.split('/').slice(0, -1);
  for (let count = parts.length; count > 0; count--) {
    const parent = Buffer.concat([Buffer.from(`${folder}/`), bytesOf(parts.slice(0, count).join('/'))]);
    // A folder with files in it is refused.
    const isGone = await rmdir(parent).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

async function writeFiles(
  repository: Repository,
  base: string,
  scratch: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const call = { workTree: repository.folder, index: join(scratch, 'base-index'), filters: true };
  await repository.git(['read-tree', base], call);
  const input = bytesOf(paths.map((path) => `${path}\0`).join(''));
  await repository.git(['checkout-index', '--force', '-z', '--stdin'], { ...call, input });
}
