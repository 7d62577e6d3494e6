/**
 * The tables, and the migrations from earlier versions.
 *
 * @module
 */

import { addChecksums } from './add-checksums.ts';
import type { Database } from './driver.ts';

/** Marks a database as a store: `phga`, in the header of the file. */
export const APPLICATION_ID = 0x70_68_67_61;

/** The largest number of a record: the low 32 bits of its key. The bits above are the key of its run. */
export const LAST_SEQ = 0xffff_ffff;

/** The version of the tables that this code uses. */
export const SCHEMA_VERSION = 6;

/** Migrates tables within a transaction, and marks them with their version. @param to For tests. @default the latest version */
export function migrateTables(db: Database, from: number, to = SCHEMA_VERSION): void {
  for (const step of MIGRATIONS.slice(from, to)) {
    if (typeof step === 'string') db.exec(step);
    else step(db);
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${to}`);
}

// --- internal ---

/** Each migrates version n to version n + 1. Never change a released one: append another. */
const MIGRATIONS: readonly (string | ((db: Database) => void))[] = [
  `
  CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    pipeline TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    info TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_start ON runs (started_at, key);

  CREATE TABLE records (
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    run_id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    token TEXT NOT NULL,
    expires_at REAL NOT NULL,
    ms REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE items (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    opened_at REAL NOT NULL,
    open INTEGER NOT NULL,
    item TEXT NOT NULL
  ) STRICT;
  CREATE INDEX items_of_run ON items (run);
  CREATE INDEX items_open ON items (opened_at, key) WHERE open = 1;

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL,
    answers TEXT UNIQUE,
    message TEXT NOT NULL
  ) STRICT;
  CREATE INDEX messages_of_run ON messages (run, id);

  CREATE TABLE artifacts (
    key INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL
  ) STRICT;
  CREATE TABLE uses (
    run INTEGER NOT NULL,
    artifact INTEGER NOT NULL,
    PRIMARY KEY (run, artifact)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX uses_of_artifact ON uses (artifact);
  `,
  // The key of a record combines the key of its run with its number. The next record is then on the last page. A record of more
  // than a thousand characters is there as well, and not on a page of its own.
  `
  ALTER TABLE records RENAME TO earlier_records;
  CREATE TABLE records (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL GENERATED ALWAYS AS (key >> 32) VIRTUAL,
    seq INTEGER NOT NULL GENERATED ALWAYS AS (key & 0xffffffff) VIRTUAL,
    record TEXT NOT NULL
  ) STRICT;
  INSERT INTO records (key, record) SELECT (run << 32) | seq, record FROM earlier_records ORDER BY run, seq;
  DROP TABLE earlier_records;
  `,
  `
  CREATE TABLE memories (
    key INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    pipeline TEXT NOT NULL,
    phase TEXT NOT NULL,
    memory TEXT NOT NULL
  ) STRICT;
  CREATE INDEX memories_of_phase ON memories (scope, pipeline, phase, key);
  `,
  addChecksums,
  // The time from which on a process may continue the run, in milliseconds since 1970: 0 for at once. Null if it has ended, or waits for a
  // message. Programs of earlier versions insert runs without it.
  `
  ALTER TABLE runs ADD COLUMN ready_at REAL DEFAULT 0;
  UPDATE runs SET ready_at = NULL WHERE status <> 'running';
  CREATE INDEX runs_ready ON runs (pipeline, ready_at) WHERE ready_at IS NOT NULL;
  `,
  // The same tables. Records may refer to their plan, which programs of earlier versions do not expect.
  '',
];
