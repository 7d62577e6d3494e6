/**
 * Runs in a PostgreSQL database.
 *
 * @module
 */
import { span } from '../filters.ts';
import type { RunStore } from '../port.ts';
import { misused } from '../refusals.ts';
import { itemIn, listedIn, openItemIn } from '../sql/listed.ts';
import { number, text } from '../sql/rows.ts';
import { appenderTo } from './append.ts';
import { claimsIn } from './claims.ts';
import { connectionTo, type Connection } from './connection.ts';
import { leasesIn } from './leases.ts';
import { memoriesIn } from './memories.ts';
import { messagesIn } from './messages.ts';
import { DEFAULT_SCHEMA, placeOf, type PostgresPool } from './place.ts';
import { givenPool, openPool } from './pools.ts';
import { readRecords } from './read.ts';
import { removeRun } from './remove.ts';
import { idOrNull, ITEMS, LISTED, nowIn, storable } from './selects.ts';

/** Options of {@link postgresStore}. It needs `connectionString` or `pool`. */
export interface PostgresStoreOptions {
  /** Address of the database, such as `postgres://user@host/runs`. Variables such as PGPASSWORD complete it, as for `psql`. */
  readonly connectionString?: string | undefined;
  /** A pool of `pg` that the program has already. It listens to the event `error` of the pool, and ends it itself. */
  readonly pool?: PostgresPool | undefined;
  /** Schema with the tables of the store: letters, digits and `_`. It is created if it is missing. @default `phasegate` */
  readonly schema?: string | undefined;
  /** Most connections of a store with `connectionString`. @default 10 */
  readonly connections?: number | undefined;
  /**
   * Keeps one more connection while runs are waited for, to be told of changes at once. With `pool` it takes one of the pool. Without it,
   * or behind a pooler in the mode `transaction`, the store is asked four times a second.
   *
   * @default true with `connectionString`, false with `pool`
   */
  readonly listen?: boolean | undefined;
  /** Returns the time in milliseconds since 1970, for leases. @default the clock of the database */
  readonly now?: (() => number) | undefined;
}

/**
 * A store in a PostgreSQL database, for processes on many machines. Needs PostgreSQL 13 or later, and the package `pg`.
 *
 * A batch is on the disk of the server when `append` resolves. The first call connects, and creates or migrates the tables. If the server
 * goes away, each call tries again for some 15 s, and fails with `STORE_BUSY` then. It never stores a batch or a message twice.
 *
 * @throws `STORE_MISUSED` if there is neither an address nor a pool, or both, the schema is no plain name, or it is in the address
 *
 * @example
 * ```ts
 * const store = postgresStore({ connectionString: 'postgres://localhost/runs' });
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): RunStore {
  const { connectionString, pool, schema = DEFAULT_SCHEMA, now: given } = options;
  if ((connectionString === undefined) === (pool === undefined))
    throw misused('Cannot open a Postgres store as it needs either `connectionString` or `pool`');
  if (connectionString !== undefined && /[?&]schema=/u.test(connectionString))
    throw misused('Cannot open a Postgres store as its address has `schema`, which is an option of its own here');
  const place = placeOf(connectionString, schema);
  const connection = connectionTo(place, async () => (pool ? givenPool(pool, options.listen) : openPool(options)));
  return storeOn(connection, () => given?.() ?? null);
}

// --- internal ---

function storeOn(connection: Connection, now: () => number | null): RunStore {
  const { ask, askForMany, watch } = connection;
  return {
    append: appenderTo(connection, now),
    async read(runId, from, limit) {
      const { first, count } = span(from, limit);
      return readRecords(connection, runId, first, count);
    },
    async run(runId) {
      const [row] = await ask(`look up run ${runId}`, `${LISTED} WHERE id = $2 AND seq > 0`, [now(), idOrNull(runId)]);
      return row && listedIn(row, number(row, 'now'));
    },
    async runs({ pipeline, status, updatedAfter, updatedBefore, leased, limit } = {}) {
      const { count } = span(1, limit);
      const rows = await askForMany('list runs', RUNS, [
        now(),
        pipeline === undefined ? null : storable(pipeline),
        status ?? null,
        updatedAfter ?? null,
        updatedBefore ?? null,
        leased ?? null,
        Number.isFinite(count) ? count : null,
      ]);
      return rows.map((row) => listedIn(row, number(row, 'now')));
    },
    remove: (runId) => removeRun(connection, runId, now),

    ...leasesIn(connection, now),
    ...claimsIn(connection, now),

    async inbox({ runId, open } = {}) {
      if (runId !== undefined && idOrNull(runId) === null) return [];
      return (await askForMany('list the inbox', INBOX, [runId ?? null, open ?? null])).map(openItemIn);
    },
    async item(id) {
      const [row] = await ask(`look up item ${id}`, `${ITEMS} WHERE items.id = $1`, [idOrNull(id)]);
      return row && itemIn(row);
    },

    ...messagesIn(connection),
    watch,
    ...memoriesIn(connection),

    async artifact(hash) {
      const [row] = await askForMany(`read artifact ${hash}`, ARTIFACT, [idOrNull(hash)]);
      return row && text(row, 'content');
    },
    close: () => connection.close(),
  };
}

const RUNS = `${LISTED} WHERE seq > 0 AND ($2::text IS NULL OR pipeline = $2) AND ($3::text[] IS NULL OR status = ANY($3))
  AND ($4::float8 IS NULL OR updated_at > $4) AND ($5::float8 IS NULL OR updated_at <= $5)
  AND ($6::boolean IS NULL OR (expires_at > ${nowIn(1)}) IS TRUE = $6)
  AND ($6 IS NOT TRUE OR token IS NOT NULL)
  ORDER BY started_at DESC, key DESC LIMIT $7`;
const INBOX = `${ITEMS} WHERE ($1::text IS NULL OR runs.id = $1) AND ($2::boolean IS NULL OR items.open = $2)
  ORDER BY items.opened_at, items.key`;
const ARTIFACT = 'SELECT content FROM phasegate.artifacts WHERE hash = $1';
