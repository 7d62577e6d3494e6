/**
 * One connection: prepared statements, transactions, and conversion of errors.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { storeClosed } from '../refusals.ts';
import { prepareWrite, type Database, type Statement } from './driver.ts';
import { watchPlace } from './file-identity.ts';
import { openDatabase } from './open.ts';
import { isBusy, isFull, problemOf } from './problems.ts';
import { runInThread, type ThreadWork } from './thread.ts';
import { roomInLog } from './wal-room.ts';

/** Operations of the store on a database. */
export interface Connection {
  /** Path of the database. */
  readonly path: string;
  /** Returns the statement, prepared on first use. */
  readonly sql: (text: string) => Statement;
  /** Runs statements without results. Call it within one of the methods below. */
  readonly exec: (text: string) => void;
  /** @param action For errors, such as `read run r1`. */
  readonly read: <T>(action: string, work: () => T) => T;
  /** Reads with several statements from one consistent state. */
  readonly readAtOnce: <T>(action: string, work: () => T) => T;
  /** Runs `work` in an exclusive write transaction, and rolls back if it throws. */
  readonly write: <T>(action: string, work: () => T) => T;
  /** Does the same without waiting for the disk. A loss of power may undo the change, until a later `write` has changed something. */
  readonly writeUnsynced: <T>(action: string, work: () => T) => T;
  /** Runs statements that take long on a connection of another thread, without a transaction around them. */
  readonly elsewhere: (action: string, work: Pick<ThreadWork, 'statements' | 'last'>) => Promise<void>;
  /** Brings the log into the database and empties it, without waiting for others. @returns False if another connection uses it. */
  readonly erased: (action: string) => boolean;
  /** Does so as soon as no other connection uses the log. */
  readonly eraseLater: () => void;
  readonly close: () => void;
}

/**
 * Creates the connection to a database.
 *
 * @param opened `undefined` if it is busy: then it is opened on first use.
 */
export function connectionOf(
  opened: Database | undefined,
  { path, readOnly }: { readonly path: string; readonly readOnly: boolean },
): Connection {
  const checkPlace = watchPlace(path);
  const room = roomInLog(path);
  const statements = new Map<string, Statement>();
  let db = opened;
  let closed = false;
  /** The level of safety that the connection has; one that is opened for writing has FULL. */
  let level: Level = 'FULL';

  function open(): Database {
    return (db ??= openDatabase({ path, readOnly }));
  }

  function sql(text: string): Statement {
    const known = statements.get(text) ?? (READS.test(text) ? open().prepare(text) : prepareWrite(open(), text));
    statements.set(text, known);
    return known;
  }

  function guard<T>(action: string, work: () => T): T {
    if (closed) throw storeClosed(`the store ${path}`);
    try {
      checkPlace(action);
      return work();
    } catch (thrown) {
      throw problemOf(thrown, action, path);
    }
  }

  function transaction<T>(begin: string, work: () => T): T {
    sql(begin).run();
    try {
      const done = work();
      sql('COMMIT').run();
      return done;
    } catch (thrown) {
      // SQLite has already rolled back if the disk is full or broken.
      if (db?.isTransaction) sql('ROLLBACK').run();
      throw thrown;
    }
  }

  /** Sets the level before a transaction, in which SQLite refuses that. */
  function useLevel(wanted: Level): void {
    if (level === wanted) return;
    open().exec(`PRAGMA synchronous = ${wanted}`);
    level = wanted;
  }

  function write<T>(action: string, work: () => T, wanted: Level): T {
    return guard(action, () => {
      if (readOnly)
        throw new PhasegateError('STORE_READ_ONLY', `Cannot ${action} as ${path} was opened with { readOnly: true }`, {
          hint: 'Open it without, in the process that works on runs.',
        });
      useLevel(wanted);
      const attempt = () =>
        transaction('BEGIN IMMEDIATE', () => {
          room.make();
          return work();
        });
      try {
        return attempt();
      } catch (thrown) {
        if (!isFull(thrown)) throw thrown;
        // The database and its log may have room once the log is brought into the database.
        checkpoint(open());
        return attempt();
      }
    });
  }

  let later: ReturnType<typeof setInterval> | undefined;
  const stopLater = () => {
    clearInterval(later);
    later = undefined;
  };

  return {
    path,
    sql,
    exec: (text) => open().exec(text),
    read: guard,
    readAtOnce: (action, work) => guard(action, () => transaction('BEGIN', work)),
    write: (action, work) => write(action, work, 'FULL'),
    writeUnsynced: (action, work) => write(action, work, 'NORMAL'),
    async elsewhere(action, work) {
      guard(action, () => undefined);
      try {
        await runInThread({ path, readOnly, ...work });
      } catch (thrown) {
        throw problemOf(thrown, action, path);
      }
    },
    erased: (action) => guard(action, () => emptyLog(open())),
    eraseLater() {
      later ??= setInterval(() => {
        try {
          if (emptyLog(open())) stopLater();
        } catch {
          // The file is gone, for example. The next call of the store says so, and nothing here could.
          stopLater();
        }
      }, ERASE_MS);
      later.unref();
    },
    close() {
      if (closed) return;
      closed = true;
      stopLater();
      room.close();
      if (db && !readOnly) checkpointAll(db);
      statements.clear();
      db?.close();
    },
  };
}

// --- internal ---

const READS = /^(?:SELECT|PRAGMA) /u;

/** `FULL` waits for the disk at each commit, `NORMAL` does not. */
type Level = 'FULL' | 'NORMAL';

/** Time between two attempts to empty the log, in milliseconds. */
const ERASE_MS = 200;

/** Brings the whole log into the database and empties it. @returns False if another connection reads or writes. */
function emptyLog(db: Database): boolean {
  const wait = Number(db.prepare('PRAGMA busy_timeout').get()?.['timeout']);
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
  } catch (thrown) {
    if (isBusy(thrown)) return false;
    throw thrown;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${wait}`);
  }
}

/** Brings as much of the log into the database as possible. */
function checkpoint(db: Database): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // Then nothing has changed, and the write reports the error of the disk.
  }
}

/**
 * Brings the whole log into the database. SQLite does so when the last connection closes. The package that replaces it on older
 * Node versions closes only after its statements are garbage collected.
 */
function checkpointAll(db: Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The data stays in the log file next to the database, from which it is read as well.
  }
}
