/**
 * Removal of folders: renamed into the trash first, so that a folder that exists is never half removed.
 *
 * @module
 */
import { lstat, readdir, readFile, realpath, rename } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Home } from './home.ts';
import { MARKER } from './marker.ts';
import { removeTree } from './remove-tree.ts';

/** Removes the folder of a try. @throws PhasegateError `WORKSPACE_REFUSED` if it is none. */
export async function discardTry(home: Home, folder: string): Promise<void> {
  const real = await realpath(folder);
  const isDirect = dirname(real) === home.path && real === folder;
  const marker = await readFile(join(real, MARKER), 'utf8').catch(() => undefined);
  if (!isDirect || marker === undefined) {
    throw new PhasegateError('WORKSPACE_REFUSED', `Cannot remove ${folder} as it is no workspace of this repository`, {
      hint: 'Remove it by hand if you know what it is.',
    });
  }
  const target = join(home.trash, randomBytes(8).toString('hex'));
  await rename(real, target);
  // A file that cannot be deleted now stays in the trash, which is emptied again later.
  await removeTree(target).catch(() => undefined);
}

/** Deletes whatever is in the trash, and what killed processes have left in the folder for temporary files. */
export async function emptyTrash(home: Home): Promise<void> {
  for (const name of await readdir(home.trash)) await removeTree(join(home.trash, name)).catch(() => undefined);
  for (const name of await readdir(home.scratch)) {
    const stats = await lstat(join(home.scratch, name)).catch(() => undefined);
    if (stats && stats.mtimeMs < Date.now() - OLD_MS) await removeTree(join(home.scratch, name)).catch(() => undefined);
  }
}

// --- internal ---

/** Milliseconds after which no process can still use a temporary folder: a day. */
const OLD_MS = 24 * 60 * 60 * 1000;
