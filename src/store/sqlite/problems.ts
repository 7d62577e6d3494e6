/**
 * What SQLite and the file system say, as errors that answer.
 *
 * @module
 */
import { PhasegateError, type ErrorCode } from '../../model/errors.ts';

/** Makes of anything thrown an error with a code. `action` is such as `append to run r1`. */
export function problemOf(thrown: unknown, action: string, path: string): PhasegateError {
  if (PhasegateError.is(thrown)) return thrown;
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  const [code, found, hint] = KNOWN[resultOf(thrown) ?? 0] ?? other(said);
  return new PhasegateError(code, `Cannot ${action} as ${path} ${found}`, { hint, cause: thrown });
}

/** SQLite's primary result code; `undefined` where somebody else has thrown. */
export function resultOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code: unknown = Reflect.get(thrown, 'errcode');
  // The low byte; the others say more than we need.
  return typeof code === 'number' ? code % 256 : undefined;
}

export const SQLITE_BUSY = 5;
export const SQLITE_CANTOPEN = 14;

// --- internal ---

type Problem = readonly [code: ErrorCode, found: string, hint: string];

const NOT_OURS = 'Restore it from a copy, or give another path.';
const TAKEN: Problem = [
  'STORE_BUSY',
  'is locked by another process',
  'Try again, raise `busyTimeout`, or end the process that holds a transaction open.',
];

const KNOWN: Readonly<Record<number, Problem>> = {
  5: TAKEN,
  6: TAKEN,
  8: ['STORE_READ_ONLY', 'may not be written', 'Give this user the right to write to the file and its folder.'],
  11: [
    'STORE_UNREADABLE',
    'is damaged',
    'Restore it from a copy; `PRAGMA integrity_check` says what is wrong with it.',
  ],
  13: ['STORE_FULL', 'finds no more room', 'Free space on its disk, or remove runs. What was kept before is safe.'],
  14: ['STORE_UNREADABLE', 'cannot be opened', 'See that the file and its folder are there and may be used.'],
  26: ['STORE_UNREADABLE', 'is not an SQLite database', NOT_OURS],
};

function other(said: string): Problem {
  return ['STORE_FAILED', `could not be used: ${said}`, 'Nothing of it was kept. See `cause` for what SQLite says.'];
}
