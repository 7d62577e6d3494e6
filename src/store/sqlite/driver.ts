/**
 * The SQLite driver: Node's own, or a package with the same class for Node versions without it.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Row } from '../sql/rows.ts';
import { bundlerAdvice, findInstalled, loadInstalled } from '../installed.ts';

/** A value that can be bound to a parameter. */
export type Bound = string | number | null;

/** A prepared statement. */
export interface Statement {
  run(...parameters: readonly Bound[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...parameters: readonly Bound[]): Row | undefined;
  all(...parameters: readonly Bound[]): readonly Row[];
  setReadBigInts(isOn: boolean): void;
}

/** A connection. */
export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Opens a connection. @throws `STORE_FAILED` if this Node has no SQLite and the package is not installed. */
export function connect(path: string, options: { readonly readOnly: boolean }): Database {
  driver ??= load();
  return new driver.DatabaseSync(path, options);
}

/**
 * Prepares a statement that returns no rows. Keys of records can be too large for a number of JavaScript, and Node 26 refuses to return the
 * last one as such.
 */
export function prepareWrite(db: Database, sql: string): Statement {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Names the module of the driver, as `require` takes it anywhere. */
export function driverModule(): string {
  return builtIn() === undefined ? (findInstalled(PACKAGE) ?? PACKAGE) : 'node:sqlite';
}

// --- internal ---

interface Driver {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => Database;
}

const PACKAGE = '@photostructure/sqlite';

let driver: Driver | undefined;

function load(): Driver {
  const found = builtIn() ?? loadInstalled(PACKAGE);
  if (isDriver(found)) return found;
  throw new PhasegateError('STORE_FAILED', `Cannot store runs in SQLite as Node ${process.version} has no SQLite`, {
    hint: [`Install ${PACKAGE}, or use Node 22.13 or later.`, bundlerAdvice()].filter(Boolean).join('\n'),
  });
}

/** Loads Node's SQLite without the warning that it is experimental, which would go to the standard error of every program. */
function builtIn(): unknown {
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning') ?? {};
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}

function isDriver(found: unknown): found is Driver {
  return typeof found === 'object' && found !== null && 'DatabaseSync' in found;
}
