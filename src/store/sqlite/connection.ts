/**
 * One connection: statements prepared once, transactions that are whole or not at all, errors that answer.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { storeClosed } from '../refusals.ts';
import type { Database, Statement } from './driver.ts';
import { watchPlace } from './file-identity.ts';
import { isFull, problemOf } from './problems.ts';
import { roomInLog } from './wal-room.ts';

/** What the store does all its work with. */
export interface Connection {
  /** Of the database. */
  readonly path: string;
  /** The statement, prepared when first asked for. */
  readonly sql: (text: string) => Statement;
  /** Runs statements to their end; what they give is not asked for. Within one of the methods below. */
  readonly exec: (text: string) => void;
  /** @param action For errors, such as `read run r1`. */
  readonly read: <T>(action: string, work: () => T) => T;
  /** Reads with more than one statement, as if nobody wrote meanwhile. */
  readonly readAtOnce: <T>(action: string, work: () => T) => T;
  /** Runs `work` in a transaction that no other process writes in, and takes it back where `work` throws. */
  readonly write: <T>(action: string, work: () => T) => T;
  readonly close: () => void;
}

/** The connection to a database that is open. */
export function connectionOf(
  db: Database,
  { path, readOnly }: { readonly path: string; readonly readOnly: boolean },
): Connection {
  const checkPlace = watchPlace(path);
  const room = roomInLog(path);
  const statements = new Map<string, Statement>();
  let closed = false;

  function sql(text: string): Statement {
    const known = statements.get(text) ?? db.prepare(text);
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
      // SQLite has done so itself where the disk is full or broken.
      if (db.isTransaction) sql('ROLLBACK').run();
      throw thrown;
    }
  }

  return {
    path,
    sql,
    exec: (text) => db.exec(text),
    read: guard,
    readAtOnce: (action, work) => guard(action, () => transaction('BEGIN', work)),
    write(action, work) {
      return guard(action, () => {
        if (readOnly)
          throw new PhasegateError(
            'STORE_READ_ONLY',
            `Cannot ${action} as ${path} was opened with { readOnly: true }`,
            {
              hint: 'Open it without, in the process that works on runs.',
            },
          );
        const attempt = () =>
          transaction('BEGIN IMMEDIATE', () => {
            room.make();
            return work();
          });
        try {
          return attempt();
        } catch (thrown) {
          if (!isFull(thrown)) throw thrown;
          // There may be room for it within the database and in the log, once that is brought in.
          bringIn(db);
          return attempt();
        }
      });
    },
    close() {
      if (closed) return;
      closed = true;
      room.close();
      if (!readOnly) settle(db);
      statements.clear();
      db.close();
    },
  };
}

// --- internal ---

/** Brings into the database what can be. */
function bringIn(db: Database): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // Then nothing has changed, and whoever writes is told of the disk.
  }
}

/**
 * Brings all that was written into the database itself. SQLite does so when the last connection closes, but the package
 * that stands in for it closes only after its statements were collected as garbage.
 */
function settle(db: Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // It stays in the file beside the database, from where it is read as well.
  }
}
