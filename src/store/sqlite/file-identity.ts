/**
 * Identity of the database file. SQLite continues with a removed file, in which nobody can find the data again.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

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

// --- internal ---

/** Identity of a file; `undefined` if there is none. */
function fileAt(path: string): string | undefined {
  // As bigint, since on some systems these numbers exceed the precision of a double.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
