/**
 * Opening a database, or telling why not.
 *
 * @module
 */
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { connect, type Database } from './driver.ts';
import { isBusy, lacksFiles, problemOf } from './problems.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** How a database is opened. */
export interface Opening {
  /** Absolute. */
  readonly path: string;
  readonly readOnly: boolean;
  /** Milliseconds to wait for other processes. */
  readonly busyTimeout: number;
}

/**
 * Opens a database that has our tables, and makes it where there is none. `readOnly` changes nothing.
 *
 * @throws `STORE_UNREADABLE`, `STORE_READ_ONLY`, `STORE_BUSY`, `STORE_FULL`
 */
export function openDatabase(opening: Opening): Database {
  const { path, readOnly, busyTimeout } = opening;
  prepareFile(opening);
  let db: Database | undefined;
  try {
    db = connect(path, { readOnly });
    db.exec(`PRAGMA busy_timeout = ${Math.max(0, Math.floor(busyTimeout))}`);
    // In a transaction, as another process may be making the tables right now.
    db.exec('BEGIN');
    const found = versionOf(db, path);
    db.exec('COMMIT');
    if (!readOnly) {
      // Before anything is written: what is removed can then be cut off the file in parts.
      if (found === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
      // The mode is kept in the file, and each connection says anew how careful it is.
      keepLogAhead(db, busyTimeout);
      db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
      if (found < MIGRATIONS.length) migrate(db, path);
    } else if (found === 0) throw unreadable(path, 'it is empty', 'Open it once for writing.');
    else if (found < MIGRATIONS.length)
      throw unreadable(path, 'it was made by an earlier version', 'Open it once for writing.');
    return db;
  } catch (thrown) {
    db?.close();
    throw lacksFiles(thrown) ? placeProblem(opening, thrown) : problemOf(thrown, 'open the store', path);
  }
}

// --- internal ---

/**
 * Pages that the log is brought into the database after: a megabyte, which is what the disk has to have room for beside the
 * database. SQLite's own 1000 are no faster.
 */
const LOG_PAGES = 256;

/**
 * Sees that there is a file that nobody else can read, before SQLite makes one that others can. One that is there is not opened for
 * that: where this process has it open already, closing it once would take away all locks that SQLite has on it. Another process would
 * then take itself for the only one, and remove the log that this one goes on with.
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
        throw unreadable(path, `folder ${dirname(folder)} does not exist`, 'Make the folder, or give another path.');
      mkdirSync(folder, { mode: 0o700 });
    }
    closeSync(openSync(path, 'a', 0o600));
  } catch (thrown) {
    throw fileProblem(thrown, path, readOnly);
  }
}

/** Turns the database to WAL mode. For that alone SQLite does not wait for others by itself. */
function keepLogAhead(db: Database, busyTimeout: number): void {
  const until = performance.now() + busyTimeout;
  while (db.prepare('PRAGMA journal_mode').get()?.['journal_mode'] !== 'wal') {
    try {
      db.exec('PRAGMA journal_mode = WAL');
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > until) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function versionOf(db: Database, path: string): number {
  const application = numberOf(db, 'application_id');
  const version = numberOf(db, 'user_version');
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (application !== APPLICATION_ID && !(isEmpty && application === 0 && version === 0))
    throw unreadable(path, 'it is the database of another program', 'Give the path of a store, or of a new file.');
  if (version > MIGRATIONS.length)
    throw unreadable(
      path,
      `it was made by a later version: its tables have version ${version}, known are those to ${MIGRATIONS.length}`,
      'Update phasegate.',
    );
  return version;
}

/** Whoever comes first does it; others wait, and find it done. */
function migrate(db: Database, path: string): void {
  db.exec('BEGIN IMMEDIATE');
  for (const sql of MIGRATIONS.slice(versionOf(db, path))) db.exec(sql);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}

function numberOf(db: Database, pragma: string): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function unreadable(path: string, found: string, hint: string, cause?: unknown): PhasegateError {
  return new PhasegateError('STORE_UNREADABLE', `Cannot open the store ${path} as ${found}`, { hint, cause });
}

function fileProblem(thrown: unknown, path: string, readOnly: boolean): PhasegateError {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  const cause = thrown;
  switch (code) {
    case 'ENOENT':
      return unreadable(path, 'there is no such file', 'Give the path of a store that was made before.', cause);
    case 'ENOTDIR':
      return unreadable(path, `${dirname(path)} is no folder`, 'Give another path.', cause);
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

/** Where the file itself may be used, what could not be is one of those that SQLite has beside it. */
function placeProblem({ path, readOnly }: Opening, cause: unknown): PhasegateError {
  try {
    closeSync(openSync(path, readOnly ? 'r' : 'r+'));
  } catch (thrown) {
    return fileProblem(thrown, path, readOnly);
  }
  return new PhasegateError(
    'STORE_READ_ONLY',
    `Cannot open the store ${path} as its folder may not be written, where SQLite has files beside it`,
    { hint: 'Give this user the right to write to the folder, or copy the store to another.', cause },
  );
}
