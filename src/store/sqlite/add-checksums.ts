/**
 * Migration of a store without checksums: computes those of its rows.
 *
 * It cannot know if a row was changed before. So each run has the number of the first record that was stored with a checksum.
 *
 * @module
 */
import { chainedChecksum, checksumOf } from '../checksum.ts';
import { prepareWrite, type Database } from './driver.ts';
import { number, text } from '../sql/rows.ts';

/** Adds the columns, and computes all checksums. */
export function addChecksums(db: Database): void {
  db.exec(COLUMNS);
  for (const [table, column, key] of TABLES) addTo(db, table, column, key);
  addToRecords(db);
  db.exec('DROP TABLE earlier_records');
}

// --- internal ---

/**
 * A program of an earlier version may still have the store open. It writes records and messages without a checksum, and is refused. Then
 * its runs stop, and can be resumed.
 */
const COLUMNS = `
  ALTER TABLE runs ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN checked_from INTEGER NOT NULL DEFAULT 1;
  UPDATE runs SET checked_from = seq + 1;
  ALTER TABLE items ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE memories ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN sum INTEGER;
  CREATE TRIGGER messages_have_sums BEFORE INSERT ON messages WHEN new.sum IS NULL
    BEGIN SELECT raise(ABORT, 'the store was opened by a later version of phasegate'); END;

  ALTER TABLE records RENAME TO earlier_records;
  CREATE TABLE records (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL GENERATED ALWAYS AS (key >> 32) VIRTUAL,
    seq INTEGER NOT NULL GENERATED ALWAYS AS (key & 0xffffffff) VIRTUAL,
    record TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
`;

/** Tables whose rows have a checksum each, with the columns of their texts and of their keys. */
const TABLES: readonly (readonly [table: string, column: string, key: string])[] = [
  ['runs', 'info', 'key'],
  ['items', 'item', 'key'],
  ['memories', 'memory', 'key'],
  ['messages', 'message', 'id'],
];

/** Rows to read at once. */
const AT_ONCE = 1000;

function addTo(db: Database, table: string, column: string, key: string): void {
  const select = db.prepare(`SELECT ${key}, ${column} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${AT_ONCE}`);
  const update = db.prepare(`UPDATE ${table} SET sum = ? WHERE ${key} = ?`);
  for (let rows = select.all(-1), last = -1; rows.length > 0; rows = select.all(last)) {
    for (const row of rows) {
      last = number(row, key);
      update.run(checksumOf(text(row, column)), last);
    }
  }
}

function addToRecords(db: Database): void {
  // Keys of records can be too large for a number of JavaScript. Their parts are not.
  const select = db.prepare(`SELECT run, seq, record FROM earlier_records WHERE key > (?1 << 32) | ?2
    ORDER BY key LIMIT ${AT_ONCE}`);
  const insert = prepareWrite(db, 'INSERT INTO records (key, record, sum) VALUES ((? << 32) | ?, ?, ?)');
  let [run, seq, sum] = [0, 0, 0];
  for (let rows = select.all(run, seq); rows.length > 0; rows = select.all(run, seq)) {
    for (const row of rows) {
      const record = text(row, 'record');
      sum = chainedChecksum(number(row, 'run') === run ? sum : 0, record);
      [run, seq] = [number(row, 'run'), number(row, 'seq')];
      insert.run(run, seq, record, sum);
    }
  }
}
