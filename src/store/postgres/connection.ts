/**
 * The connection to a database: statements and transactions, which are tried again if the server goes away meanwhile.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { storeClosed } from '../refusals.ts';
import type { Row } from '../sql/rows.ts';
import type { Ask, Place, PostgresClient, PostgresPool } from './place.ts';
import { breaksConnection, isUnreachable, lacksTables, problemOf, unreachable } from './problems.ts';
import { migrate, refuseLater, SCHEMA_VERSION, versionIn } from './schema.ts';

/** Operations of the store on a database. An operation that fails with `STORE_BUSY` may have been done: the server did not say so in time. */
export interface Connection {
  /** Sends one statement. @param action For errors, such as `read run r1`. */
  readonly ask: (action: string, sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** @param isAgain True if an earlier try may have been done. */
  readonly attempt: <T>(action: string, work: (ask: Ask, isAgain: boolean) => Promise<T>) => Promise<T>;
  /** Does so within a transaction. */
  readonly transaction: <T>(action: string, work: (ask: Ask, isAgain: boolean) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** A pool, and the function that ends it. */
export interface OpenPool {
  readonly pool: PostgresPool;
  readonly end: () => Promise<void>;
}

/** Creates the connection. Nothing is sent before the first operation. */
export function connectionTo(place: Place, openPool: () => Promise<OpenPool>): Connection {
  const texts = new Map<string, string>();
  const guarded = new WeakSet<PostgresClient>();
  let pool: Promise<OpenPool> | undefined;
  let opened: Promise<void> | undefined;
  let isOpen = false;
  let closed = false;

  /** The statement with the schema of this store. */
  function textFor(sql: string): string {
    const known = texts.get(sql) ?? sql.replaceAll('phasegate.', `"${place.schema}".`);
    texts.set(sql, known);
    return known;
  }

  async function openAndGuard(): Promise<OpenPool> {
    const made = await openPool();
    made.pool.on?.('connect', guard);
    return made;
  }

  /** Without a listener, a connection that breaks between statements ends the process. */
  function guard(client: PostgresClient): void {
    guarded.add(client);
    client.on?.('error', ignore);
  }

  /** Takes a connection for some work. It does not come back to the pool if it may be broken. */
  async function withClient<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    pool ??= openAndGuard().catch((error: unknown) => {
      pool = undefined;
      throw error;
    });
    const client = await (await pool).pool.connect();
    // A pool of the program may have had this one before.
    if (!guarded.has(client)) client.on?.('error', ignore);
    let isBroken = true;
    try {
      const done = await work(askOf(client));
      isBroken = false;
      return done;
    } catch (error) {
      isBroken = !PhasegateError.is(error) && breaksConnection(error);
      throw error;
    } finally {
      if (!guarded.has(client)) client.removeListener?.('error', ignore);
      client.release(isBroken);
    }
  }

  function askOf(client: PostgresClient): Ask {
    return async (sql, values = []) => {
      const { rows } = await client.query(textFor(sql), [...values]);
      return rows;
    };
  }

  /** Checks the tables once, and creates them if they are missing. */
  async function ensureTables(): Promise<void> {
    opened ??= check().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    await opened;
    isOpen = true;
  }

  async function check(): Promise<void> {
    const version = await withClient(async (ask) => {
      await refuseUnsafe(ask, place);
      return versionIn(ask).catch((error: unknown) => {
        if (lacksTables(error)) return 0;
        throw error;
      });
    });
    refuseLater(version, place);
    if (version < SCHEMA_VERSION) await withClient((ask) => inTransaction(ask, () => migrate(ask, place)));
  }

  async function attempt<T>(action: string, work: (ask: Ask, isAgain: boolean) => Promise<T>): Promise<T> {
    const begun = performance.now();
    const isOver = (ms: number) => performance.now() - begun > ms;
    for (let tries = 0; ; tries += 1) {
      if (closed) throw storeClosed(`the store ${place.name}`);
      try {
        await ensureTables();
        return await withClient((ask) => work(ask, tries > 0));
      } catch (thrown) {
        if (!isOpen && isUnreachable(thrown) && isOver(OPENING_MS)) throw unreachable(thrown, action, place);
        const error = problemOf(thrown, action, place);
        if (error.code !== 'STORE_BUSY' || isOver(PATIENCE_MS)) throw error;
      }
      await pause(tries);
    }
  }

  return {
    ask: (action, sql, values) => attempt(action, (ask) => ask(sql, values)),
    attempt,
    transaction: (action, work) => attempt(action, (ask, isAgain) => inTransaction(ask, () => work(ask, isAgain))),
    async close() {
      closed = true;
      const open = pool;
      pool = undefined;
      // A pool that could not be opened needs no end.
      await open?.then(({ end }) => end(), ignore);
    },
  };
}

// --- internal ---

/** Half of the time for which a run is leased: its process still has time to renew the lease. */
const PATIENCE_MS = 15_000;

/** Time in which a server must be there at first: it may be starting, and the address may be wrong. */
const OPENING_MS = 5000;

const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

/** Waits before another try, longer each time, and not as long as other processes do. */
function pause(tries: number): Promise<void> {
  const most = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** tries);
  return new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}

async function inTransaction<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
  await ask('BEGIN');
  let done: T;
  try {
    done = await work();
  } catch (error) {
    // If this fails as well, the connection is closed, and the server rolls back.
    if (!breaksConnection(error) || PhasegateError.is(error)) await ask('ROLLBACK');
    throw error;
  }
  await ask('COMMIT');
  return done;
}

/** Refuses a database that confirms records before they are on the disk. @throws `STORE_MISUSED` */
async function refuseUnsafe(ask: Ask, { name }: Place): Promise<void> {
  const [row] = await ask("SELECT current_setting('synchronous_commit') AS setting");
  if (row?.['setting'] !== 'off') return;
  throw new PhasegateError('STORE_MISUSED', `Cannot store runs in ${name} as its synchronous_commit is off`, {
    hint: 'Turn it on for this user: ALTER ROLE <user> SET synchronous_commit = on. A crash would lose records that a run relies on.',
  });
}

function ignore(): void {}
