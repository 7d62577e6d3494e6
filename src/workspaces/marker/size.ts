/**
 * Size of a folder on the disk.
 *
 * @module
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Adds up the sizes of the files of a folder. Follows no symbolic links. Stops counting at 500 000 files. */
export async function sizeOf(folder: string): Promise<number> {
  const pending = [folder];
  let bytes = 0;
  let files = 0;
  for (let next = pending.pop(); next !== undefined && files < MOST_FILES; next = pending.pop()) {
    const one = next;
    const entries = await readdir(one, { withFileTypes: true }).catch(() => []);
    files += entries.length;
    pending.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(one, name)));
    const others = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(
      others.map(({ name }) =>
        lstat(join(one, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    bytes += sizes.reduce((sum, size) => sum + size, 0);
  }
  return bytes;
}

// --- internal ---

const MOST_FILES = 500_000;
