/**
 * The place of a store: a schema of a database, and a pool of connections to it.
 *
 * @module
 */
import { checksumOf } from '../checksum.ts';
import { misused } from '../refusals.ts';
import type { Row } from '../sql/rows.ts';

/** The part of a client of `pg` that the store uses. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  /** @param destroy True to close the connection instead of using it again. */
  release(destroy?: boolean): void;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a `Pool` of `pg` that the store uses. Another driver with these methods serves as well. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Calls the listener with each new client. */
  on?(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  removeListener?(event: 'connect', listener: (client: PostgresClient) => void): unknown;
}

/** A connection that is told of notifications. */
export interface ListeningClient {
  query(text: string): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: Notification) => void): unknown;
  /** Closes it. */
  end(): Promise<void>;
}

/** A notification. Anybody who may use the database can send one with any payload. */
export interface Notification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** Sends a statement. */
export type Ask = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The place of a store. */
export interface Place {
  readonly schema: string;
  /** Name of the channel on which changes are told. Two schemas may share one. */
  readonly channel: string;
  /** Its name for people, without a password: such as `postgres://ada@db.example.com/runs`. */
  readonly name: string;
}

/** The place that a connection string names. @throws `STORE_MISUSED` */
export function placeOf(connectionString: string | undefined, schema: string): Place {
  if (!/^[a-z_]\w{0,62}$/iu.test(schema) || /^pg_/iu.test(schema))
    throw misused(`Cannot store runs in schema ${JSON.stringify(schema)} as that is not a plain name`);
  const address = connectionString === undefined ? 'the Postgres database' : withoutSecrets(connectionString);
  const channel = `phasegate_${checksumOf(schema)}`;
  return { schema, channel, name: schema === DEFAULT_SCHEMA ? address : `schema ${schema} of ${address}` };
}

/** The schema of a store if no other is named. */
export const DEFAULT_SCHEMA = 'phasegate';

/** A connection string as a person may see it: without its password. */
export function withoutSecrets(connectionString: string): string {
  if (!URL.canParse(connectionString)) return 'the Postgres database';
  const url = new URL(connectionString);
  // In `ada:1/2@host` the password is not escaped, and half of it is the path.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return 'the Postgres database';
  url.password = '';
  const secret = [...url.searchParams.keys()].filter((name) => /pass|secret|token/iu.test(name));
  for (const name of secret) url.searchParams.delete(name);
  return url.href;
}
