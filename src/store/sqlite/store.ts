/**
 * Runs in an SQLite database.
 *
 * @module
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { span } from '../filters.ts';
import type { Append, Batch, InboxFilter, Lease, RunFilter, RunStore } from '../port.ts';
import { misused } from '../refusals.ts';
import { appendBatch, appendBatches } from './append.ts';
import { backUp } from './backup.ts';
import { compactStore } from './compact.ts';
import { problemsIn } from './check.ts';
import { connectionOf, type Connection } from './connection.ts';
import type { Bound } from './driver.ts';
import { leasesIn } from './leases.ts';
import { itemIn, listedIn, openItemIn } from '../sql/listed.ts';
import { ITEMS, LEASED, LISTED } from './selects.ts';
import { memoriesIn } from './memories.ts';
import { messagesIn } from './messages.ts';
import { openIfFree } from './open.ts';
import { readRecords } from './read.ts';
import { removeRun } from './remove.ts';
import { text } from '../sql/rows.ts';

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /** Opens an existing store for reading, next to the process that works on its runs. @default false */
  readonly readOnly?: boolean | undefined;
  /** Returns the time in milliseconds since 1970, for leases. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * A store in a file that outlasts the process. Needs Node 22.13, or the package `@photostructure/sqlite`.
 *
 * A batch is on the disk when `append` returns. Several processes of one machine may use one file, but not on a network drive.
 * Only its owner can read the file, and its folder if it is created here.
 *
 * @param path The file, which is created if it is missing. So is its folder, but not the folder above.
 * A store of an earlier version is migrated, unless a program of that version works on a run: `RUN_LEASED`.
 *
 * @throws `STORE_UNREADABLE` if the file is not a store, `STORE_READ_ONLY` if it may not be written
 *
 * @example
 * ```ts
 * const store = sqliteStore('.phasegate/runs.sqlite');
 * ```
 */
export function sqliteStore(path: string | URL, options: SqliteStoreOptions = {}): RunStore {
  const { readOnly = false, now = Date.now } = options;
  if (path === ':memory:' || path === '')
    throw misused('Cannot open a store as its path names no file: use memoryStore()');
  const file = resolve(typeof path === 'string' ? path : fileURLToPath(path));
  const opening = { path: file, readOnly };
  return storeOn(connectionOf(openIfFree(opening), opening), now);
}

/** The store on a connection. */
export function storeOn(connection: Connection, now: () => number): RunStore {
  const { sql, read } = connection;

  return {
    append: Object.assign((batch: Batch, lease?: Lease) => appendBatch(connection, batch, lease, now), {
      all: (appends: readonly Append[]) => appendBatches(connection, appends, now),
    }),
    read(runId, from, limit) {
      const { first, count } = span(from, limit);
      return readRecords(connection, runId, first, count);
    },
    run(runId) {
      return read(`look up run ${runId}`, () => {
        const row = sql(`${LISTED} WHERE runs.id = ?`).get(runId);
        return row && listedIn(row, now());
      });
    },
    runs(filter = {}) {
      return read('list runs', () => {
        const time = now();
        const { where, values } = conditionsOn(filter, time);
        return sql(`${filter.leased === true ? LEASED : LISTED} ${where} ORDER BY started_at DESC, key DESC LIMIT ?`)
          .all(...values, sqlLimit(span(1, filter.limit).count))
          .map((row) => listedIn(row, time));
      });
    },
    remove(runId) {
      return removeRun(connection, runId, now);
    },
    compact() {
      return compactStore(connection, now);
    },
    backup(file, options = {}) {
      return backUp(connection, file, options);
    },
    check() {
      return read('check the store', () => problemsIn(connection));
    },

    ...leasesIn(connection, now),

    inbox({ runId, open }: InboxFilter = {}) {
      return read('list the inbox', () => {
        const conditions = [
          runId === undefined ? [] : ['runs.id = ?'],
          open === undefined ? [] : [`open = ${open ? 1 : 0}`],
        ].flat();
        return sql(`${ITEMS} ${whereOf(conditions)} ORDER BY opened_at, items.key`)
          .all(...(runId === undefined ? [] : [runId]))
          .map(openItemIn);
      });
    },
    item(id) {
      return read(`look up item ${id}`, () => {
        const row = sql(`${ITEMS} WHERE items.id = ?`).get(id);
        return row && itemIn(row);
      });
    },

    ...messagesIn(connection),
    ...memoriesIn(connection),

    artifact(hash) {
      return read(`read artifact ${hash}`, () => {
        const row = sql('SELECT content FROM artifacts WHERE hash = ?').get(hash);
        return row && text(row, 'content');
      });
    },
    close() {
      connection.close();
    },
  };
}

// --- internal ---

/** SQLite's limit is -1 for none. */
function sqlLimit(count: number): number {
  return Number.isFinite(count) ? count : -1;
}

function conditionsOn(filter: RunFilter, now: number): { readonly where: string; readonly values: readonly Bound[] } {
  const { pipeline, status, updatedAfter, updatedBefore, leased } = filter;
  const conditions: readonly (readonly [sql: string, value: Bound])[] = [
    ...(pipeline === undefined ? [] : [['pipeline = ?', pipeline] as const]),
    ...(status === undefined ? [] : [['status IN (SELECT value FROM json_each(?))', JSON.stringify(status)] as const]),
    ...(updatedAfter === undefined ? [] : [['updated_at > ?', updatedAfter] as const]),
    ...(updatedBefore === undefined ? [] : [['updated_at <= ?', updatedBefore] as const]),
    ...(leased === undefined ? [] : [[leased ? 'expires_at > ?' : 'coalesce(expires_at > ?, 0) = 0', now] as const]),
  ];
  return { where: whereOf(conditions.map(([one]) => one)), values: conditions.map(([, value]) => value) };
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
