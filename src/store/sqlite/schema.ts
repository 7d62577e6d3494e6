/**
 * The tables, and how those of earlier versions become them.
 *
 * @module
 */

/** Marks a database as one of ours: `phga`, as SQLite keeps it in the header of the file. */
export const APPLICATION_ID = 0x70_68_67_61;

/** Each makes of version n the version n + 1. What was released is never changed: append another. */
export const MIGRATIONS: readonly string[] = [
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
];
