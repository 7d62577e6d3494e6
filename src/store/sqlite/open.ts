/**
 * Opening of databases.
 *
 * @module
 */
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { shellWord } from '../../model/values/shell-word.ts';
import { holderIsAlive } from '../holder.ts';
import { isStoreBusy } from '../refusals.ts';
import { connect, type Database } from './driver.ts';
import { lacksFiles, problemOf } from './problems.ts';
import { APPLICATION_ID, migrateTables, SCHEMA_VERSION } from './schema.ts';

/**
 * Milliseconds for which a statement waits for another process. It blocks the event loop meanwhile, so a caller has to try again. Most
 * transactions of other processes are shorter.
 */
export const BUSY_MS = 20;

/** Options for opening a database. */
export interface Opening {
  /** Absolute. */
  readonly path: string;
  readonly readOnly: boolean;
  /** Milliseconds for which the statements that open it may wait for another process. @default {@link BUSY_MS} */
  readonly waitMs?: number | undefined;
}

/** Opens a database; `undefined` if another process keeps it busy. @throws as {@link openDatabase} does */
export function openIfFree(opening: Opening): Database | undefined {
  try {
    return openDatabase(opening);
  } catch (error) {
    if (isStoreBusy(error)) return undefined;
    throw error;
  }
}

/**
 * Opens a database with the store's tables, and creates it if it is missing. With `readOnly` it changes nothing.
 *
 * @throws `STORE_UNREADABLE`, `STORE_READ_ONLY`, `STORE_BUSY`, `STORE_FULL`; `RUN_LEASED` if it has to be migrated, and a program of an
 *   earlier version works on a run
 */
export function openDatabase(opening: Opening): Database {
  const { path, readOnly, waitMs = BUSY_MS } = opening;
  prepareFile(opening);
  let db: Database | undefined;
  try {
    db = connect(path, { readOnly });
    db.exec(`PRAGMA busy_timeout = ${waitMs}`);
    // In a transaction, as another process may be creating the tables right now.
    db.exec('BEGIN');
    const found = versionOf(db, path);
    db.exec('COMMIT');
    if (!readOnly) {
      // Set before the first write, so that unused pages can be cut off the file in parts.
      if (found === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
      // The file stores the journal mode, but each connection must set its own durability.
      if (db.prepare('PRAGMA journal_mode').get()?.['journal_mode'] !== 'wal') db.exec('PRAGMA journal_mode = WAL');
      // Deleted rows are overwritten with zeros.
      db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}; PRAGMA secure_delete = ON`);
      if (found < SCHEMA_VERSION) migrate(db, path);
      // The migrations of a new file leave an empty page behind.
      if (found === 0) db.exec('PRAGMA incremental_vacuum');
    } else if (found === 0)
      throw unreadable(path, 'it is empty', 'Restore it from a copy, or open it once for writing.');
    else if (found < SCHEMA_VERSION) {
      const error = unreadable(path, 'it was created by an earlier version', 'Open it once for writing.');
      outdated.add(error);
      throw error;
    }
    return db;
  } catch (thrown) {
    // A statement that was not finished would keep the transaction, and its locks, after closing.
    if (db?.isTransaction) db.exec('ROLLBACK');
    db?.close();
    throw lacksFiles(thrown) ? placeProblem(opening, thrown) : problemOf(thrown, 'open the store', path);
  }
}

/** True if a store was opened for reading, and its tables are those of an earlier version. */
export function isOutdated(error: unknown): boolean {
  return PhasegateError.is(error) && outdated.has(error);
}

/**
 * Migrates the tables of a store. If another process does it right now, it waits for that, and blocks the event loop meanwhile.
 *
 * @throws as {@link openDatabase} does
 */
export function migrateStore(path: string): void {
  openDatabase({ path, readOnly: false, waitMs: MIGRATION_MS }).close();
}

// --- internal ---

/** Milliseconds for which a migration waits for another one. */
const MIGRATION_MS = 60_000;

/** Errors that say so. */
const outdated = new WeakSet<PhasegateError>();

/**
 * Pages of the log after which it is brought into the database. This is one megabyte, for which the disk needs room next to the database.
 * SQLite's default of 1000 pages is no faster.
 */
const LOG_PAGES = 256;

/**
 * Creates a missing file that only its owner can read, before SQLite creates one that others can read. An existing file is not opened, as
 * this process may have it open already. Closing it would then release all of SQLite's locks on it. Another process would believe that it
 * is alone, and would remove the log that this process still uses.
 */
function prepareFile({ path, readOnly }: Opening): void {
  const folder = dirname(path);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw unreadable(path, 'it is a folder', 'Give the path of a file.');
    if (readOnly || found) {
      accessSync(path, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
      return;
    }
    if (!existsSync(folder)) {
      if (!existsSync(dirname(folder)))
        throw unreadable(path, `folder ${dirname(folder)} does not exist`, 'Create the folder, or give another path.');
      mkdirSync(folder, { mode: 0o700 });
      // Runs have prompts and outputs, which must not become part of a commit by chance.
      writeFileSync(join(folder, '.gitignore'), '*\n');
    }
    closeSync(openSync(path, 'a', 0o600));
  } catch (thrown) {
    throw fileProblem(thrown, path, readOnly);
  }
}

function versionOf(db: Database, path: string): number {
  const application = numberOf(db, 'application_id');
  const version = numberOf(db, 'user_version');
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (application !== APPLICATION_ID && !(isEmpty && application === 0 && version === 0))
    throw unreadable(path, 'it is the database of another program', 'Give the path of a store, or of a new file.');
  if (version > SCHEMA_VERSION)
    throw unreadable(
      path,
      `it was created by a later version: its tables have version ${version}, and this version knows up to ${SCHEMA_VERSION}`,
      'Update phasegate; or export runs with the later version, and import them into another store.',
    );
  return version;
}

/** Migrates the tables. The first process does it; others wait, and find it done. */
function migrate(db: Database, path: string): void {
  db.exec('BEGIN IMMEDIATE');
  const found = versionOf(db, path);
  if (found > 0 && found < SCHEMA_VERSION) refuseWork(db, path);
  migrateTables(db, found);
  db.exec('COMMIT');
}

/** Refuses to migrate tables while a program of an earlier version works on a run: it could store nothing more. */
function refuseWork(db: Database, path: string): void {
  const leases = db.prepare('SELECT run_id, holder FROM leases WHERE expires_at > ?').all(Date.now());
  const lease = leases.find(({ holder }) => holderIsAlive(String(holder)) !== false);
  if (!lease) return;
  const runId = String(lease['run_id']);
  // Leases of workers have ids that no run has.
  const what = runId.startsWith(':') ? 'runs' : `run ${runId}`;
  const work = `${String(lease['holder'])}, a program of an earlier version, works on ${what}`;
  throw new PhasegateError('RUN_LEASED', `Cannot migrate the store ${path} as ${work}`, {
    hint: 'End that program; one that works on a single run can also be waited for. Then try again.',
  });
}

function numberOf(db: Database, pragma: string): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function unreadable(path: string, found: string, hint: string, cause?: unknown): PhasegateError {
  return new PhasegateError('STORE_UNREADABLE', `Cannot open the store ${path} as ${found}`, { hint, cause });
}

function fileProblem(thrown: unknown, path: string, readOnly: boolean): PhasegateError {
  const cause = thrown;
  switch (codeOf(thrown)) {
    case 'ENOENT':
      return unreadable(path, 'there is no such file', 'Give the path of an existing store.', cause);
    case 'ENOTDIR':
    // A link to a folder that does not exist.
    case 'EEXIST':
      return unreadable(path, `${dirname(path)} is not a folder`, 'Give another path.', cause);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      if (readOnly) return unreadable(path, 'this user may not read it', 'Give the user the right to read it.', cause);
      return new PhasegateError('STORE_READ_ONLY', `Cannot open the store ${path} as it may not be written`, {
        hint: 'Give this user the right to write to the file and its folder, or open it with { readOnly: true }.',
        cause,
      });
    case 'ENOSPC':
    case 'EDQUOT':
      return new PhasegateError('STORE_FULL', `Cannot open the store ${path} as its disk is full`, {
        hint: 'Free space on the disk.',
        cause,
      });
    default:
      return problemOf(thrown, 'open the store', path);
  }
}

/** The error if SQLite cannot open a file. If the database itself is usable, the problem is with SQLite's files next to it. */
function placeProblem({ path, readOnly }: Opening, cause: unknown): PhasegateError {
  const log = `${path}-wal`;
  const hasLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const files = hasLog ? [path, log] : [path];
  for (const file of files) {
    try {
      closeSync(openSync(file, readOnly ? 'r' : 'r+'));
    } catch (thrown) {
      return fileProblem(thrown, file, readOnly);
    }
  }
  const found = 'its folder may not be written, and SQLite needs files next to it';
  if (!readOnly) {
    return new PhasegateError('STORE_READ_ONLY', `Cannot open the store ${path} as ${found}`, {
      hint: 'Give this user the right to write to the folder, or copy the store to another.',
      cause,
    });
  }
  // Why: docs/decisions/runs-and-stores.md#why-is-a-store-in-a-read-only-folder-not-read
  const copying = `cp ${files.map(shellWord).join(' ')} <folder>`;
  return new PhasegateError('STORE_READ_ONLY', `Cannot read the store ${path} as ${found}`, {
    hint: `While no process uses it, copy it to a folder that you may write to, and read the copy: ${copying}`,
    cause,
  });
}
