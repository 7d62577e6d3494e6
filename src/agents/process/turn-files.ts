/**
 * Files of one turn, outside of its directory.
 *
 * @module
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Writes a file that only this user can read, and removes it after the work.
 *
 * @param content Content of the file; without one there is no file.
 */
export async function withFile<T>(
  name: string,
  content: string | undefined,
  work: (path: string | undefined) => Promise<T>,
): Promise<T> {
  if (content === undefined) return work(undefined);
  return withFolder(async (folder) => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return work(path);
  });
}

/** Makes a folder that only this user can read, and removes it after the work. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-turn-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
