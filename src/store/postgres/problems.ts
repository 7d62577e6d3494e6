/**
 * Conversion of errors of PostgreSQL, of its driver and of the network to errors with codes and hints.
 *
 * @module
 */
import { codeOf, PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';
import type { Place } from './place.ts';

/** Converts anything thrown to an error with a code. @param action Such as `append to run r1`. */
export function problemOf(thrown: unknown, action: string, { name }: Place): PhasegateError {
  if (PhasegateError.is(thrown)) return thrown;
  const { code, found, hint } = KNOWN.find(({ fits }) => fits(thrown)) ?? UNKNOWN;
  return new PhasegateError(code, `Cannot ${action} as ${name} ${found}: ${messageOf(thrown)}`, {
    hint,
    cause: thrown,
  });
}

/** True if there is no server at an address. A missing file of a certificate has the same code as a missing socket. */
export function isUnreachable(thrown: unknown): boolean {
  const call: unknown = Reflect.get(Object(thrown), 'syscall');
  return UNREACHABLE.has(codeOf(thrown)) && (call === undefined || call === 'connect' || call === 'getaddrinfo');
}

/** True if the same call may succeed soon. A server is read-only for some seconds while another one takes its place. */
export function mayPass(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (UNREACHABLE.has(code)) return isUnreachable(thrown);
  if (code === '08P01') return !/unsupported startup parameter/iu.test(messageOf(thrown));
  if (code === '') return BROKEN.test(messageOf(thrown));
  return PASSING.has(code) || code === READ_ONLY || code.startsWith('08');
}

/** The error for a server that was never there. */
export function unreachable(thrown: unknown, action: string, { name }: Place): PhasegateError {
  return new PhasegateError('STORE_UNREADABLE', `Cannot ${action} as ${name} cannot be reached: ${messageOf(thrown)}`, {
    hint: 'Start the server, or correct the address of the store.',
    cause: thrown,
  });
}

/** True if a connection may have failed, so that the client must not be used again. */
export function breaksConnection(thrown: unknown): boolean {
  const code = codeOf(thrown);
  // A connection to a server that is read-only stays with it, and another may reach its successor.
  if (code === READ_ONLY) return true;
  // The server sends codes with five characters, and goes on. Codes of classes 08 and 57 end the session.
  return !/^(?!08|57)[0-9A-Z]{5}$/u.test(code);
}

/** True if the server has no connection left. */
export function isCrowded(thrown: unknown): boolean {
  return codeOf(thrown) === '53300';
}

/** True if the database has no tables of a store. */
export function lacksTables(thrown: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(thrown));
}

// --- internal ---

interface Known {
  readonly fits: (thrown: unknown) => boolean;
  readonly code: ErrorCode;
  readonly found: string;
  readonly hint: string;
}

/** read_only_sql_transaction */
const READ_ONLY = '25006';

const UNREACHABLE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EHOSTUNREACH', 'EACCES']);

/** Errors of the network, and states of the server that pass. */
const PASSING: ReadonlySet<string> = new Set([
  ...UNREACHABLE,
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '23503', // foreign_key_violation: a value was removed that the batch uses
  '53000', // insufficient_resources
  '53200', // out_of_memory
  '53300', // too_many_connections
  '53400', // configuration_limit_exceeded
  '55P03', // lock_not_available
  '57014', // query_canceled, as by a timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
]);
/** Messages of the driver, which have no code. */
const BROKEN = /connection terminated|timeout expired|timeout exceeded|read timeout|not queryable/iu;

const KNOWN: readonly Known[] = [
  {
    fits: (thrown) => codeOf(thrown) !== READ_ONLY && mayPass(thrown),
    code: 'STORE_BUSY',
    found: 'does not answer now',
    hint: 'Try again. If it lasts, check that the server runs, has connections left, and that no session holds a lock.',
  },
  {
    fits: (thrown) => codeOf(thrown) === '53100',
    code: 'STORE_FULL',
    found: 'has no room to grow',
    hint: 'Free space on the disk of the server. Records that were stored before are safe.',
  },
  {
    fits: (thrown) => [READ_ONLY, '42501'].includes(codeOf(thrown)),
    code: 'STORE_READ_ONLY',
    found: 'may not be written',
    hint: 'Connect to the primary server, as a user who may write to the tables of the store.',
  },
  {
    fits: (thrown) => /^28|^3D000$/u.test(codeOf(thrown)),
    code: 'STORE_UNREADABLE',
    found: 'refuses the connection',
    hint: 'Correct the user, the password or the database. A password can be in the variable PGPASSWORD or in ~/.pgpass.',
  },
  {
    fits: (thrown) => ['XX001', 'XX002'].includes(codeOf(thrown)),
    code: 'STORE_UNREADABLE',
    found: 'is damaged',
    hint: 'Restore it from a backup; the log of the server has the details.',
  },
];

const UNKNOWN: Omit<Known, 'fits'> = {
  code: 'STORE_FAILED',
  found: 'could not be used',
  hint: 'Nothing of it was stored.',
};

/** One line; errors of several addresses have only a code. */
function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return (message === '' ? codeOf(thrown) : message).slice(0, 300).replaceAll(/\s+/gu, ' ');
}
