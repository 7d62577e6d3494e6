/**
 * phasegate/postgres: a store in a PostgreSQL database, for processes on many machines. It needs the package `pg`.
 *
 * @module
 */
export type { RunStore } from './store/port.ts';
export { postgresStore, type PostgresStoreOptions } from './store/postgres/store.ts';
export type { PostgresClient, PostgresPool } from './store/postgres/place.ts';
