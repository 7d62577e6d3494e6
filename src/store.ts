/**
 * phasegate/store: the types of the store port, for implementations of stores, and the runs that a message wakes.
 *
 * @module
 */
export type { PackedRecord, ValueReference } from './model/events/large-values.ts';
export { runsAbove } from './model/handlers/work-key.ts';
export type { Backup, BackupOptions, Compaction } from './store/maintenance.ts';
export type {
  Append,
  AppendFunction,
  StoredValue,
  Awaitable,
  Batch,
  ClaimedRun,
  ClaimWish,
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
  StoreWatch,
} from './store/port.ts';
