/**
 * What the cookies of dashboards are made from: kept beside the store, so that pages that are open go on when the server does.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync, type Stats } from 'node:fs';

/**
 * The secret of a store. Whoever can read it can read, and change, the store itself.
 *
 * @param store The file of the store.
 * @param mode `read` makes no file: the secret is one that is there.
 * @returns `undefined` where there is none, and none is or can be made; then pages that are open have to be opened anew.
 */
export function sessionSecret(store: string, mode: 'read' | 'write'): string | undefined {
  if (!existsSync(store)) return undefined;
  const file = `${store}.session`;
  try {
    // For the owner alone; and of two that start at once one makes it.
    if (mode === 'write') writeFileSync(file, randomBytes(BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there, or cannot be made: what there is to be read says which.
  }
  try {
    // One that others may know, such as a file that has come with a repository, would let them in.
    if (!isPrivate(lstatSync(file))) return undefined;
    const secret = readFileSync(file, 'utf8');
    return secret.length >= BYTES ? secret : undefined;
  } catch {
    return undefined;
  }
}

// --- internal ---

const BYTES = 32;

/** Whether a file is of this user, for this user alone. On Windows that is not to be told so. */
function isPrivate(stats: Stats): boolean {
  if (!stats.isFile()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
}
