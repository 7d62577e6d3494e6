/**
 * Conversion of SQLite's errors to errors with codes and hints.
 *
 * @module
 */
import { errorInfo, PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';

/** Converts anything thrown to an error with a code. `action` is such as `append to run r1`. */
export function problemOf(thrown: unknown, action: string, path: string): PhasegateError {
  if (PhasegateError.is(thrown)) return thrown;
  const { code, found, hint } = knownOf(thrown) ?? other(thrown);
  return new PhasegateError(code, `Cannot ${action} as ${path} ${found}`, { hint, cause: thrown });
}

/** True if SQLite could not open or write a file: the database, or one of its files next to it. */
export function lacksFiles(thrown: unknown): boolean {
  const code = knownOf(thrown)?.result;
  return code === 8 || code === 14;
}

/** True if there is no room. */
export function isFull(thrown: unknown): boolean {
  return knownOf(thrown)?.code === 'STORE_FULL';
}

/** True if another process holds a lock. */
export function isBusy(thrown: unknown): boolean {
  return knownOf(thrown)?.code === 'STORE_BUSY';
}

// --- internal ---

interface Known {
  /** SQLite's primary result code, and its message. */
  readonly result: number;
  readonly message: string;
  readonly code: ErrorCode;
  readonly found: string;
  readonly hint: string;
}

const FULL = 13;
/** `SQLITE_IOERR_SHMSIZE`: the index of the log, which readers need as well, could not be created. */
const NO_ROOM_FOR_INDEX = 4874;

const KNOWN: readonly Known[] = [
  {
    result: 5,
    message: 'database is locked',
    code: 'STORE_BUSY',
    found: 'is locked by another process',
    hint: 'Try again, or end the process that holds a transaction open.',
  },
  {
    result: 8,
    message: 'attempt to write a readonly database',
    code: 'STORE_READ_ONLY',
    found: 'may not be written',
    hint: 'Give this user the right to write to the file and its folder.',
  },
  {
    result: 11,
    message: 'database disk image is malformed',
    code: 'STORE_UNREADABLE',
    found: 'is damaged',
    hint: 'Restore it from a copy; `PRAGMA integrity_check` lists the damage.',
  },
  {
    result: FULL,
    message: 'database or disk is full',
    code: 'STORE_FULL',
    found: 'has no room to grow',
    hint: 'Free space on its disk, some megabytes at least: removing runs needs some as well. Records that were stored before are safe.',
  },
  {
    result: 14,
    message: 'unable to open database file',
    code: 'STORE_UNREADABLE',
    found: 'cannot be opened',
    hint: 'Check that the file and its folder exist and may be used.',
  },
  {
    result: 26,
    message: 'file is not a database',
    code: 'STORE_UNREADABLE',
    found: 'is not an SQLite database',
    hint: 'Restore it from a copy, or give another path.',
  },
];

/** Finds the error by its result code, whose low byte is the primary one. Some errors of SQLite have only a message. */
function knownOf(thrown: unknown): Known | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code: unknown = Reflect.get(thrown, 'errcode');
  const primary = code === NO_ROOM_FOR_INDEX ? FULL : code;
  return KNOWN.find(({ result, message }) =>
    typeof primary === 'number' ? primary % 256 === result : thrown.message === message,
  );
}

function other(thrown: unknown): Pick<Known, 'code' | 'found' | 'hint'> {
  const { message } = errorInfo(thrown);
  return { code: 'STORE_FAILED', found: `could not be used: ${message}`, hint: 'Nothing of it was stored.' };
}
