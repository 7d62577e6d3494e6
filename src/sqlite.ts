/**
 * phasegate/sqlite: a store in a SQLite file, for one machine. On Node only.
 *
 * @module
 */
export type { RunStore } from './store/port.ts';
export { sqliteStore, type SqliteStoreOptions } from './store/sqlite/store.ts';
