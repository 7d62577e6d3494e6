/**
 * What the cookies of dashboards are made from: kept beside the store, so that pages that are open go on when the server does.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The secret of a store. Whoever can read it can read, and change, the store itself.
 *
 * @param store The file of the store.
 * @returns `undefined` where none can be kept there; then pages that are open have to be opened anew.
 */
export function sessionSecret(store: string): string | undefined {
  if (!existsSync(store)) return undefined;
  const file = `${store}.session`;
  try {
    // For the owner alone; and of two that start at once one makes it.
    writeFileSync(file, randomBytes(BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there, or cannot be made: what there is to be read says which.
  }
  try {
    const secret = readFileSync(file, 'utf8');
    return secret.length >= BYTES ? secret : undefined;
  } catch {
    return undefined;
  }
}

// --- internal ---

const BYTES = 32;
