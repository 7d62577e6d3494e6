/**
 * The secret for the session cookies of dashboards. It is stored next to the store, so that open pages survive a restart of the server.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync, type Stats } from 'node:fs';
import { sessionFileOf } from '../options/store-option.ts';

/**
 * Reads or creates the secret of a store. A user who can read the secret can also read and change the store itself.
 *
 * @param store The file of the store.
 * @param mode `read` reads an existing secret and creates no file.
 * @returns `undefined` if there is no secret and none is created; then users have to open their pages again after a restart.
 */
export function sessionSecret(store: string, mode: 'read' | 'write'): string | undefined {
  if (!existsSync(store)) return undefined;
  const file = sessionFileOf(store);
  try {
    // Readable by the owner only. If two processes start at once, the flag `wx` lets only one write.
    if (mode === 'write') writeFileSync(file, randomBytes(BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch {
    // The file exists or cannot be created; reading it shows which.
  }
  try {
    // A secret that others may know, for example from a repository, would let them in.
    if (!isPrivate(lstatSync(file))) return undefined;
    const secret = readFileSync(file, 'utf8');
    return secret.length >= BYTES ? secret : undefined;
  } catch {
    return undefined;
  }
}

// --- internal ---

const BYTES = 32;

/** True if only this user can access a file. On Windows this cannot be checked, so every file passes. */
function isPrivate(stats: Stats): boolean {
  if (!stats.isFile()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
}
