/**
 * The port of run stores.
 *
 * A store holds records, and rows that the writer derives from them. It never interprets a record. Values that belong together form one
 * batch, and a batch is stored whole or not at all.
 *
 * @module
 */
import type { PackedRecord } from '../model/events/large-values.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { Memory } from '../projections/run/learned.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import type { AppendFunction } from './batch.ts';
import type { InboxFilter, MemoryFilter, RunFilter } from './filters.ts';
import type { Backup, BackupOptions, Compaction } from './maintenance.ts';

export type { Memory } from '../projections/run/learned.ts';
export type { RunInfo } from '../projections/run/run-info.ts';
export type { Append, AppendFunction, Batch, StoredValue } from './batch.ts';
export type { InboxFilter, MemoryFilter, RunFilter } from './filters.ts';

/** A value, or a promise of it: stores may be synchronous. */
export type Awaitable<T> = T | Promise<T>;

/** A run as a store lists it. */
export interface ListedRun extends RunInfo {
  /** The current lease; `undefined` if no process has one, or its holder has not renewed it in time. */
  readonly lease: Lease | undefined;
  /** The expired lease, if it was neither released nor taken over. A store may omit it. */
  readonly lapsed?: Lease | undefined;
  /** Number of the first record that had a checksum from the beginning; above 1 in a migrated store. @default 1 */
  readonly checkedFrom?: number | undefined;
  /** The damage of its row, as a sentence. Then id, pipeline, status, times and `seq` are a guess. @default none */
  readonly damage?: string | undefined;
}

/** The right to append to a run for a limited time. */
export interface Lease {
  readonly runId: string;
  /** Name of the holder, for people: such as `host:1234`. */
  readonly holder: string;
  /** Unique among all leases. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A wish for the next run to work on. */
export interface ClaimWish {
  /** Names of pipelines. Only their runs are taken. */
  readonly pipelines: readonly string[];
  /** Fingerprints of versions whose runs are left out. */
  readonly except: readonly string[];
  /** Runs that are left out for as long as they have no further record. */
  readonly passed: readonly Pick<ListedRun, 'runId' | 'seq'>[];
  /** Name of the holder, for people. */
  readonly holder: string;
  /** Milliseconds until the lease expires, above 0. */
  readonly ms: number;
}

/** A run that was claimed. */
export interface ClaimedRun {
  /** The run as `ready` would have listed it: without the lease, and with the one that had expired. */
  readonly run: ListedRun;
  readonly lease: Lease;
}

/** A watch of a store, which tells early of changes. */
export interface StoreWatch {
  /** True as long as changes are known to be told. Otherwise the caller has to look more often. */
  isLive(): boolean;
  stop(): void;
}

/** A message to a run from outside: from another process, or before the run is resumed. JSON. */
export interface RunMessage {
  readonly runId: string;
  /** `answer` is for one item of the inbox, and an item takes one answer; `cancel` is for the run. */
  readonly kind: 'answer' | 'cancel';
  /** Id of the answered item. */
  readonly item?: string | undefined;
  /** Content of the message; only the run interprets it. */
  readonly body: unknown;
  /** Name of the sender; may be empty. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A message with its place in the store. */
export interface KeptMessage extends RunMessage {
  /** Grows with each message. */
  readonly id: number;
}

/**
 * A store of runs.
 *
 * Every method may throw, or reject, with a `PhasegateError`: `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `STORE_UNREADABLE`,
 * `STORE_CLOSED` or `STORE_FAILED`, next to the codes below. The store remains usable afterwards, unless it is closed. A store that another
 * program keeps busy throws `STORE_BUSY` at once, and changes nothing: the caller tries again. It copies the values
 * that it gets and returns, so later changes to them do not affect it.
 *
 * The id of a run is any text that is not empty, well-formed and without the character U+0000. The store refuses other ids with
 * `STORE_MISUSED`. `runStoreContract` of `phasegate/testing` tests all of this.
 */
export interface RunStore {
  /**
   * Stores a batch. It is durable once this has returned, or its promise has resolved. If it throws, nothing of the batch is stored.
   *
   * With `append.all` it may store several at once.
   */
  readonly append: AppendFunction;
  /**
   * Reads records of a run as they were appended, oldest first; none if there is no such run. `readRun` puts large values back.
   *
   * @param from Number of the first; below 1 is 1. @default 1
   * @param limit Most records; below 0 is 0. @default no limit
   */
  read(runId: string, from?: number, limit?: number): Awaitable<readonly PackedRecord[]>;
  /** Reads one run; `undefined` if there is none with that id. A damaged one has `damage`. */
  run(runId: string): Awaitable<ListedRun | undefined>;
  /** Lists runs, latest start first; among equal starts, the one that was stored later. A damaged one has `damage`. */
  runs(filter?: RunFilter): Awaitable<readonly ListedRun[]>;
  /**
   * Removes a run with its data, and artifacts that no other run refers to.
   *
   * @returns True if there was such a run.
   * @throws `RUN_LEASED` if a process works on it.
   */
  remove(runId: string): Awaitable<boolean>;
  /**
   * Returns unused room to the disk while other processes use the store, without changing its contents. Then no file of the store has a
   * byte of what was removed. A store that cannot do so omits this method.
   */
  compact?(): Awaitable<Compaction>;
  /**
   * Copies the store into a file, as it is at one moment, while other processes write. The copy is itself a store. It is complete, or there
   * is no file. A store that cannot do so omits this method.
   *
   * @throws `FILE_EXISTS`, `FILE_UNREADABLE`
   */
  backup?(file: string, options?: BackupOptions): Awaitable<Backup>;
  /** Reads all, and returns damage that no single run shows, such as a broken index, as sentences. A store may omit it. */
  check?(): Awaitable<readonly string[]>;

  /**
   * Acquires the lease of a run, which may have no records yet.
   *
   * @param holder Name of the holder, for people.
   * @param ms Milliseconds until it expires, above 0. If the clock is set back, they count from the next request by another holder.
   * @throws `RUN_LEASED` if any holder has it, also the same one.
   */
  acquire(runId: string, holder: string, ms: number): Awaitable<Lease>;
  /**
   * Extends a lease from now on. The earlier lease object stays valid, as the token is the same.
   *
   * @throws `LEASE_LOST` if it expired and another holder took it, it was released, or the run was removed.
   */
  renew(lease: Lease, ms: number): Awaitable<Lease>;
  /** Releases a lease. Does nothing if it is lost. */
  release(lease: Lease): Awaitable<void>;
  /**
   * Releases the lease of a run that only waits. `ready` does not list the run until a time, or a message to it or to a run that its tasks
   * have started (`runsAbove` of that run has its id). Anybody may acquire it before.
   *
   * @param until Milliseconds since 1970; `Infinity` for a run that only a message can continue.
   * @param heard Place up to which it has received such messages, 0 for none. If there is a later one, the run is ready at once.
   * @throws `LEASE_LOST` if another holder took it, it was released, or the run was removed.
   */
  suspend(lease: Lease, until: number, heard: number): Awaitable<void>;
  /**
   * Lists runs that a process may continue now, earliest start first: they have not ended, have no current lease, and are not suspended
   * until later.
   *
   * @param pipelines Names of pipelines. Only their runs are listed.
   * @param limit Most runs.
   * @param except Fingerprints of versions whose runs are left out. @default none
   */
  ready(pipelines: readonly string[], limit: number, except?: readonly string[]): Awaitable<readonly ListedRun[]>;
  /**
   * Acquires the first run that `ready` would list, in one step: of several callers at once, each gets another run. `undefined` if there is
   * none. Runs whose id contains `/` are left to `ready`, as a task may have started them. A store may omit this method, and has to if it
   * replaces `ready` or `acquire` of another.
   *
   * @throws `STORE_MISUSED` if `ms` is no duration
   */
  claim?(wish: ClaimWish): Awaitable<ClaimedRun | undefined>;

  /** Lists items of the inbox, oldest first. A damaged one has the damage as its `reason`, and `item` refuses it. */
  inbox(filter?: InboxFilter): Awaitable<readonly InboxItem[]>;
  /** Reads one item; `undefined` if there is none with that id. */
  item(id: string): Awaitable<InboxItem | undefined>;
  /**
   * Posts a message for the process that works on the run, now or later.
   *
   * @throws `ANSWERED` if the item has an answer, or is closed; `ITEM_UNKNOWN` if the run has no such item; `RUN_UNKNOWN` if it has no
   *   record; `STORE_MISUSED` if an answer names no item, or the body is not JSON.
   */
  post(message: RunMessage): Awaitable<void>;
  /** Reads messages to a run after a place, oldest first. @param after Place of the last known message. @default 0 */
  messages(runId: string, after?: number): Awaitable<readonly KeptMessage[]>;
  /**
   * Place of the latest message to any run, even to a removed one; 0 if there never was a message. It changes whenever a message becomes
   * readable. With it, a caller who polls can skip reading messages. A store may omit this method, and has to if it replaces `post` or
   * `messages` of another.
   */
  lastMessage?(): Awaitable<number>;
  /**
   * Calls a function soon after some process has posted a message, or a run has become ready for another reason than the time. This is a
   * hint: calls may be missing, late or in vain, so callers look now and then anyway. A store may omit this method.
   */
  watch?(onChange: () => void): StoreWatch;

  /**
   * Memories of runs, oldest first. The store keeps the latest three of each phase of each pipeline in each scope, even after their runs
   * are removed. A store without memories omits this method and `forget`.
   */
  memories?(filter?: MemoryFilter): Awaitable<readonly Memory[]>;
  /** Removes memories. @returns Their number. */
  forget?(filter?: MemoryFilter): Awaitable<number>;

  /** Reads an artifact's content, JSON text; `undefined` if there is none. */
  artifact(hash: string): Awaitable<string | undefined>;
  /** Closes files. Afterwards every method but `close` throws, and `close` does nothing. */
  close(): Awaitable<void>;
}
