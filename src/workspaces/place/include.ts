/**
 * Files of the user that git does not have, copied to workspaces.
 *
 * @module
 */
import { cp, lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWithin } from '../marker/home.ts';
import type { Note } from '../note.ts';

/** Copies files and folders that the workspace does not have. @returns Notes about those that do not exist. */
export async function copyIncluded(from: string, to: string, paths: readonly string[]): Promise<readonly Note[]> {
  const notes: Note[] = [];
  for (const path of paths) {
    if (await copyOne(from, to, path)) continue;
    const text = `The file ${JSON.stringify(path)} was not copied to this workspace, as it is not in the user's folder.`;
    notes.push({ code: 'includeMissing', text });
  }
  return notes;
}

// --- internal ---

/** @returns False if the user's folder has no such file of its own. */
async function copyOne(from: string, to: string, path: string): Promise<boolean> {
  const source = join(from, path);
  const exists = await lstat(source).then(
    () => true,
    () => false,
  );
  if (!exists || !isWithin(await realpath(from), await realpath(dirname(source)))) return false;
  const target = join(to, path);
  // A folder of the commit may be a link that leads out of the workspace.
  const parent = await nearestFolder(dirname(target));
  if (!isWithin(await realpath(to), await realpath(parent))) return false;
  await cp(source, target, { recursive: true, force: false, errorOnExist: false, verbatimSymlinks: true });
  return true;
}

async function nearestFolder(path: string): Promise<string> {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  );
  return exists ? path : nearestFolder(dirname(path));
}
