/**
 * phasegate/store: the port of stores, a store in memory, and the records of a run in a store.
 *
 * @module
 */
export { memoryStore, type MemoryStoreOptions } from './store/memory-store.ts';
export type {
  StoredValue,
  Awaitable,
  Batch,
  Compaction,
  InboxFilter,
  KeptMessage,
  Lease,
  ListedRun,
  Memory,
  MemoryFilter,
  RunFilter,
  RunInfo,
  RunMessage,
  RunStore,
} from './store/port.ts';
export { readRun } from './store/read-run.ts';
