/**
 * Removal of folders: renamed into the trash first, so that a folder that exists is never half removed.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { lstat, readdir, readFile, realpath, rename } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isAbandoned, ownName, type Home } from './home.ts';
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
  await discardFolder(home, real);
}

/** Removes a folder of the home. */
export async function discardFolder(home: Home, folder: string): Promise<void> {
  const target = join(home.trash, `${ownName()}${randomBytes(6).toString('hex')}`);
  await rename(folder, target);
  await removeSoon(target);
}

/** Deletes whatever is in the trash, and what killed processes have left in the folder for temporary files. */
export async function emptyTrash(home: Home): Promise<void> {
  for (const name of await readdir(home.trash)) await removeTree(join(home.trash, name)).catch(() => undefined);
  await clearAbandoned(home);
}

/** Deletes what killed processes have left in the trash and in the folder for temporary files. */
export async function clearAbandoned(home: Home): Promise<void> {
  for (const name of await readdir(home.trash)) if (isAbandoned(name)) await removeSoon(join(home.trash, name));
  for (const name of await readdir(home.scratch)) {
    const stats = await lstat(join(home.scratch, name)).catch(() => undefined);
    const isOld = stats !== undefined && stats.mtimeMs < Date.now() - OLD_MS;
    if (isOld || isAbandoned(name)) await discardFolder(home, join(home.scratch, name)).catch(() => undefined);
  }
}

/**
 * Begins to delete a folder by a process of its own, which goes on if this one ends: many files take longer than all else that is done at
 * the end of a workspace. A file that cannot be deleted stays in the trash, which is emptied again later.
 */
export async function removeSoon(folder: string): Promise<void> {
  if (process.platform === 'win32') {
    await removeTree(folder).catch(() => undefined);
    return;
  }
  const remover = spawn('rm', ['-rf', '--', folder], { cwd: '/', detached: true, stdio: 'ignore' });
  remover.once('error', () => undefined);
  remover.unref();
}

// --- internal ---

/** Milliseconds after which no process of another machine can still use a temporary folder: a day. */
const OLD_MS = 24 * 60 * 60 * 1000;
