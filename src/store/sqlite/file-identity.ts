/**
 * Whether a path still leads to the file that was opened: SQLite goes on with one that was removed, where nobody finds it again.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/**
 * Looks which file a path leads to.
 *
 * @returns Throws `STORE_UNREADABLE` where it leads to another by now, or to none. `action` is such as `read run r1`.
 */
export function watchPlace(path: string): (action: string) => void {
  const opened = fileAt(path);
  return (action) => {
    const found = fileAt(path);
    if (found !== undefined && found === opened) return;
    const what = found === undefined ? 'was removed' : 'is another file than the one that was opened';
    throw new PhasegateError('STORE_UNREADABLE', `Cannot ${action} as ${path} ${what}`, {
      hint: 'Put the file that was there back, or open the store anew. Nothing more is kept in the one that is gone.',
    });
  };
}

// --- internal ---

/** Tells files apart; `undefined` where there is none. */
function fileAt(path: string): string | undefined {
  // Whole numbers: on some systems those of files are larger than a double has room for.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
