/**
 * Pools of connections: one of the program, or one that the store opens.
 *
 * @module
 */
import { refuseMissing } from '../../model/errors/phasegate-error.ts';
import type { OpenPool } from './connection.ts';
import type { ListeningClient, PostgresClient, PostgresPool } from './place.ts';

/** Uses a pool of the program, which ends it itself. @param listen True to take one of its connections for notifications. */
export function givenPool(pool: PostgresPool, listen = false): OpenPool {
  return { pool, end: async () => undefined, ...(listen && { listen: () => borrowed(pool) }) };
}

/** Options of {@link openPool}, as those of `postgresStore`. */
export interface PoolOptions {
  readonly connectionString?: string | undefined;
  readonly connections?: number | undefined;
  readonly listen?: boolean | undefined;
}

/** Opens a pool. */
export async function openPool({ connectionString, connections = 10, listen = true }: PoolOptions): Promise<OpenPool> {
  const { Client, Pool } = await loadPg();
  const settings = {
    connectionString,
    application_name: 'phasegate',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
  };
  // Waiting connections must not keep a program from ending that forgets to close the store.
  const pool = new Pool({ ...settings, max: connections, allowExitOnIdle: true });
  // Without a listener, an idle connection that breaks ends the process. The pool replaces it.
  pool.on('error', () => undefined);
  return { pool, end: () => pool.end(), ...(listen && { listen: () => connected(new Client(settings)) }) };
}

// --- internal ---

type Pg = Pick<typeof import('pg'), 'Client' | 'Pool'>;

/** Connects a client of its own, for which no process stays alive. */
async function connected(client: InstanceType<Pg['Client']>): Promise<ListeningClient> {
  client.on('error', () => undefined);
  const connecting = client.connect();
  unref(client);
  try {
    await connecting;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  // With TLS it has another socket now.
  unref(client);
  return client;
}

/** Lets the process end although a client is connected. The types of the package lack the method. */
function unref(client: object): void {
  const method: unknown = Reflect.get(client, 'unref');
  if (typeof method === 'function') Reflect.apply(method, client, []);
}

/** Takes a connection from a pool, and closes it afterwards. @throws if its driver tells of no notifications */
async function borrowed(pool: PostgresPool): Promise<ListeningClient> {
  const client = await pool.connect();
  if (!hasEvents(client)) {
    client.release();
    throw new Error('The driver tells of no notifications.');
  }
  return {
    query: (text) => client.query(text),
    on: client.on.bind(client),
    end: async () => client.release(true),
  };
}

function hasEvents(client: PostgresClient): client is PostgresClient & Pick<ListeningClient, 'on'> {
  return typeof client.on === 'function';
}

/** Loads the package. @throws PhasegateError `PACKAGE_MISSING` if it is not installed. */
function loadPg(): Promise<Pg> {
  // The package is optional. The comments keep bundlers from resolving it, which would fail where it is missing.
  return import(/* webpackIgnore: true */ /* @vite-ignore */ 'pg').catch(
    refuseMissing('pg', 'open a Postgres store', 'pg@^8.11.0'),
  );
}
