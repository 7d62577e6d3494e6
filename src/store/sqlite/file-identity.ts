/**
 * Identity of files: the database, and those next to it. SQLite continues with a removed file, in which nobody can find the data again.
 *
 * @module
 */
import { closeSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** The endings of the files that SQLite keeps next to a database. */
export const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Creates a check that a path still leads to the same file.
 *
 * @returns A function that throws `STORE_UNREADABLE` if the file was removed or replaced. Its `action` is such as `read run r1`.
 */
export function watchPlace(path: string): (action: string) => void {
  const opened = fileAt(path);
  return (action) => {
    const found = fileAt(path);
    if (found !== undefined && found === opened) return;
    const what = found === undefined ? 'was removed' : 'is another file than the one that was opened';
    throw new PhasegateError('STORE_UNREADABLE', `Cannot ${action} as ${path} ${what}`, {
      hint: 'Restore the file, or open the store again. Nothing more is stored in the removed file.',
    });
  };
}

/** True if two paths lead to one file, by links or another spelling. If neither file exists, both would create the same one. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [fileOrNone(one), fileOrNone(other)];
  return first === second && (first !== undefined || realPlace(one) === realPlace(other));
}

/** True if a path leads into a folder, by links or another spelling. Neither has to exist. */
export function isInFolder(path: string, folder: string): boolean {
  return realPlace(path).startsWith(`${realPlace(folder)}${sep}`);
}

/** True if a path leads to the database of a store, or to a file that SQLite keeps next to it, which need not exist. */
export function isFileOfStore(path: string, database: string): boolean {
  const place = realPlace(database);
  return ['', ...BESIDE].some((suffix) => isSameFile(path, `${place}${suffix}`));
}

/**
 * True if a path leads to an SQLite database, or to a file that SQLite keeps next to one. The mark of a store may still be in its log, so
 * every database counts. Call it only before this process opens that database, as closing the file releases SQLite's locks.
 */
export function isFileOfDatabase(path: string): boolean {
  return ['', ...BESIDE].some(
    (suffix) => path.endsWith(suffix) && hasHeader(path.slice(0, path.length - suffix.length)),
  );
}

/** Returns a path without links, as far as its folders exist. */
export function realPlace(path: string, links = MOST_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const there = realPlace(folder, links);
    const target = links > 0 ? targetOf(path) : undefined;
    return target === undefined ? join(there, basename(path)) : realPlace(resolve(there, target), links - 1);
  }
}

// --- internal ---

/** The first bytes of a database. */
const HEADER = 'SQLite format 3\0';

function hasHeader(path: string): boolean {
  try {
    // A named pipe would block.
    if (!statSync(path).isFile()) return false;
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(HEADER.length);
      readSync(file, start);
      return start.toString('latin1') === HEADER;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** The most links that a path may lead through, as in Linux. */
const MOST_LINKS = 40;

/** Does the same as `fileAt`, also for a path that cannot be followed. */
function fileOrNone(path: string): string | undefined {
  try {
    return fileAt(path);
  } catch {
    return undefined;
  }
}

/** Returns the target of a link; `undefined` if the path is none. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Identity of a file; `undefined` if there is none. */
function fileAt(path: string): string | undefined {
  // As bigint, since on some systems these numbers exceed the precision of a double.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
