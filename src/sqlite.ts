/**
 * phasegate/sqlite: a store in a SQLite file, for one machine. On Node only.
 *
 * @module
 */
export { sqliteStore, type SqliteStoreOptions } from './store/sqlite/store.ts';
