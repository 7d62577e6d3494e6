/**
 * phasegate/store: the port that a store fills. Types alone.
 *
 * @module
 */
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
