/**
 * The connection to a database: statements and transactions, which are tried again if the server goes away meanwhile.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { storeClosed } from '../refusals.ts';
import type { StoreWatch } from '../port.ts';
import type { Row } from '../sql/rows.ts';
import { createChangeListener } from './change-listener.ts';
import type { Ask, ListeningClient, Place, PostgresClient, PostgresPool } from './place.ts';
import {
  breaksConnection,
  isCrowded,
  isUnreachable,
  lacksTables,
  mayPass,
  problemOf,
  unreachable,
} from './problems.ts';
import { CHANNEL } from './selects.ts';
import { migrate, refuseLater, SCHEMA_VERSION, versionIn } from './schema.ts';
import { inTime, pause } from '../waits.ts';

/** Some statements on one connection. @param isAgain True if an earlier try may have been done: the server did not answer. */
export type Work<T> = (ask: Ask, isAgain: boolean) => Promise<T>;

/** Operations of the store on a database. If one fails with `STORE_BUSY`, it may have been done. */
export interface Connection {
  /** Sends one statement. @param action For errors, such as `read run r1`. */
  readonly ask: (action: string, sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Does so, and waits longer for the answer: for a statement whose answer may be large. */
  readonly askForMany: Connection['ask'];
  readonly attempt: <T>(action: string, work: Work<T>) => Promise<T>;
  /** Does so within a transaction. */
  readonly transaction: <T>(action: string, work: Work<T>) => Promise<T>;
  /** Watches the store. @throws `STORE_CLOSED` */
  readonly watch: (onChange: () => void) => StoreWatch;
  readonly close: () => Promise<void>;
}

/** A pool, and the function that ends it. */
export interface OpenPool {
  readonly pool: PostgresPool;
  readonly end: () => Promise<void>;
  /** Opens a connection that is told of notifications, and that no statement uses. @default there is none to be had */
  readonly listen?: (() => Promise<ListeningClient>) | undefined;
}

/** Creates the connection. Nothing is sent before the first operation. */
export function connectionTo(place: Place, openPool: () => Promise<OpenPool>): Connection {
  const texts = new Map<string, string>();
  /** Clients that have a listener for as long as they live. */
  const guarded = new WeakSet<PostgresClient>();
  /** Each ends a wait for a connection. */
  const waits = new Set<() => void>();
  let pool: Promise<OpenPool> | undefined;
  let opened: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  let isOpen = false;
  let isClosing = false;

  /** The statement with the schema of this store. */
  function textFor(sql: string): string {
    const known =
      texts.get(sql) ?? sql.replaceAll('phasegate.', `"${place.schema}".`).replaceAll(CHANNEL, place.channel);
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

  function openOnce(): Promise<OpenPool> {
    if (isClosing) throw storeClosed(`the store ${place.name}`);
    pool ??= openAndGuard().catch((error: unknown) => {
      pool = undefined;
      throw error;
    });
    return pool;
  }

  /** Takes a connection from the pool. */
  async function connect(): Promise<PostgresClient> {
    const coming = (await openOnce()).pool.connect();
    try {
      return await inTime(coming, CONNECT_MS, waits);
    } catch (error) {
      // It may come later.
      coming.then((client) => client.release(), ignore);
      throw isClosing ? storeClosed(`the store ${place.name}`) : error;
    }
  }

  /** Takes a connection for some work. It does not come back to the pool if it may be broken. */
  async function withClient<T>(work: (ask: Ask) => Promise<T>, ms: number): Promise<T> {
    const client = await connect();
    // A pool of the program may have had this one before.
    if (!guarded.has(client)) client.on?.('error', ignore);
    let isBroken = true;
    try {
      const done = await work(async (sql, values = []) => {
        const { rows } = await inTime(client.query(textFor(sql), [...values]), ms);
        return rows;
      });
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
    }, ANSWER_MS);
    refuseLater(version, place);
    if (version < SCHEMA_VERSION)
      await withClient((ask) => inTransaction(ask, () => migrate(ask, place), LONG_ANSWER_MS), LONG_ANSWER_MS);
  }

  async function attempt<T>(action: string, work: Work<T>, ms = ANSWER_MS): Promise<T> {
    const begun = performance.now();
    const isOver = (limit: number) => performance.now() - begun > limit;
    for (let tries = 0; ; tries += 1) {
      try {
        await ensureTables();
        return await withClient((ask) => work(ask, tries > 0), ms);
      } catch (thrown) {
        if (isCrowded(thrown)) listener.yieldConnection();
        if (!isOpen && isUnreachable(thrown) && isOver(OPENING_MS)) throw unreachable(thrown, action, place);
        if (PhasegateError.is(thrown) || !mayPass(thrown) || isOver(PATIENCE_MS))
          throw problemOf(thrown, action, place);
      }
      await pause(tries);
    }
  }

  async function end(): Promise<void> {
    isClosing = true;
    listener.close();
    for (const stop of waits) stop();
    // A pool that could not be opened needs no end.
    const open = await pool?.catch(ignore);
    open?.pool.removeListener?.('connect', guard);
    await open?.end();
  }

  const listener = createChangeListener({
    channel: place.channel,
    connect: async () => (await openOnce()).listen?.(),
    notify: (payload) => attempt('look for changes', (ask) => ask(NOTIFY, [payload])),
  });

  return {
    ask: (action, sql, values) => attempt(action, (ask) => ask(sql, values)),
    askForMany: (action, sql, values) => attempt(action, (ask) => ask(sql, values), LONG_ANSWER_MS),
    attempt,
    transaction: (action, work) =>
      attempt(action, (ask, isAgain) => inTransaction(ask, () => work(ask, isAgain), ANSWER_MS)),
    watch(onChange) {
      if (isClosing) throw storeClosed(`the store ${place.name}`);
      return listener.watch(onChange);
    },
    close: () => (closed ??= end()),
  };
}

// --- internal ---

const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1)`;

/** Half of the time for which a run is leased: its process still has time to renew the lease. */
const PATIENCE_MS = 15_000;

/** Time in which a server must be there at first: it may be starting, and the address may be wrong. */
const OPENING_MS = 5000;

/** Longest wait for a connection. */
const CONNECT_MS = 10_000;

/**
 * Longest wait for the answer to a statement. A connection that is dead without a word is given up in time for another one to renew a lease.
 */
const ANSWER_MS = 6000;
/** The same for answers that may be large. */
const LONG_ANSWER_MS = 60_000;

/** @param ms The longest that a statement may wait for locks, and that the server may wait for the next one. */
async function inTransaction<T>(ask: Ask, work: () => Promise<T>, ms: number): Promise<T> {
  // Whatever the default of the database is: a lock that is waited for guards only what is read afterwards.
  await ask('BEGIN ISOLATION LEVEL READ COMMITTED');
  let done: T;
  try {
    // A process that stands still, or whose machine is gone, must not hold a lock that others need.
    await ask(LIMITS, [String(ms)]);
    done = await work();
  } catch (error) {
    // If this fails as well, the connection is closed, and the server rolls back.
    if (!breaksConnection(error) || PhasegateError.is(error)) await ask('ROLLBACK');
    throw error;
  }
  await ask('COMMIT');
  return done;
}

const LIMITS = `SELECT set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true)`;

/** Refuses a database that confirms records before they are on the disk. @throws `STORE_MISUSED` */
async function refuseUnsafe(ask: Ask, { name }: Place): Promise<void> {
  const [row] = await ask("SELECT current_setting('synchronous_commit') AS setting");
  if (row?.['setting'] !== 'off') return;
  throw new PhasegateError('STORE_MISUSED', `Cannot store runs in ${name} as its synchronous_commit is off`, {
    hint: 'Turn it on for this user: ALTER ROLE <user> SET synchronous_commit = on. A crash would lose records that a run relies on.',
  });
}

function ignore(): void {}
