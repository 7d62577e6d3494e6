/**
 * Deletion of folders.
 *
 * @module
 */
import { chmod, lstat, readdir, rm } from 'node:fs/promises';

/** Deletes a folder, also with folders in it that may not be written to. Follows no symbolic links. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await permit(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

// --- internal ---

/** Lets the owner write to each folder of a tree. */
async function permit(folder: string): Promise<void> {
  const pending: Buffer[] = [Buffer.from(folder)];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const one = next;
    const stats = await lstat(one).catch(() => undefined);
    if (!stats?.isDirectory()) continue;
    await chmod(one, 0o700);
    const entries = await readdir(one, { withFileTypes: true, encoding: 'buffer' });
    const folders = entries.filter((entry) => entry.isDirectory());
    pending.push(...folders.map(({ name }) => Buffer.concat([one, Buffer.from('/'), name])));
  }
}
