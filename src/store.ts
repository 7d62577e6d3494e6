/**
 * Stores that outlast the process. On Node only.
 *
 * @module
 */
export { sqliteStore, type SqliteStoreOptions } from './store/sqlite/store.ts';
