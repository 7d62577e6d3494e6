/**
 * Where runs are kept: the port that every store fills.
 *
 * A store knows records, and rows that are made from them by whoever appends; it never reads what a record says. All that
 * belongs together is one batch, and a batch is kept whole or not at all.
 *
 * @module
 */
import type { RunRecord, RunStatus } from '../model/events/event.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { Memory } from '../projections/run/learned.ts';
import type { RunInfo } from '../projections/run/run-info.ts';

export type { Memory } from '../projections/run/learned.ts';
export type { RunInfo } from '../projections/run/run-info.ts';

/** A value, or a promise of it: stores may be synchronous. */
export type Awaitable<T> = T | Promise<T>;

/** A run as a store lists it. */
export interface ListedRun extends RunInfo {
  /** Who works on it; `undefined` where nobody does, or whoever did has not renewed its claim in time. */
  readonly lease: Lease | undefined;
  /** Whose claim has expired, where it was neither given back nor taken by another. A store may leave it out. */
  readonly lapsed?: Lease | undefined;
}

/** A content that records refer to instead of having it in them. */
export interface StoredValue {
  /** SHA-256 of `content` in UTF-8, in hex. */
  readonly hash: string;
  /** JSON text. */
  readonly content: string;
}

/** What is kept at once. */
export interface Batch {
  readonly runId: string;
  /** At least one; numbered on from the last one kept, without gaps. */
  readonly records: readonly RunRecord[];
  /** How the run stands after them. */
  readonly info: RunInfo;
  /** Items of the inbox that they open or close, as they are now. */
  readonly items: readonly InboxItem[];
  /** What they refer to. */
  readonly artifacts: readonly StoredValue[];
  /** What later runs may learn from them; a store that remembers nothing leaves it. @default none */
  readonly memories?: readonly Memory[] | undefined;
}

/** The right to append to a run, for a while. */
export interface Lease {
  readonly runId: string;
  /** Who has it, for people: such as `host:1234`. */
  readonly holder: string;
  /** Told apart from every other lease. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What has come of making a store smaller. */
export interface Compaction {
  /** Bytes that the disk has again. */
  readonly freed: number;
  /** Bytes of the store that nothing is kept in, and that were not given back. It uses them before it grows. */
  readonly unused: number;
  /**
   * Why not: `at-work` where a store of an earlier version has to be left alone by those who work on runs, once; `busy` where another
   * process writes for long; `full` where the disk has no room for what it takes.
   */
  readonly obstacle?: 'at-work' | 'busy' | 'full' | undefined;
}

/** Which runs to list. All conditions have to hold. */
export interface RunFilter {
  readonly pipeline?: string | undefined;
  readonly status?: readonly (RunStatus | 'running')[] | undefined;
  /** Only runs with a record after this time, in milliseconds since 1970, or that were made of another after it. */
  readonly updatedAfter?: number | undefined;
  /** Only runs whose latest record is not after this time, and that were not made of another after it. */
  readonly updatedBefore?: number | undefined;
  /** Only runs on which nobody works, or only those on which somebody does. */
  readonly leased?: boolean | undefined;
  /** At most so many, the latest started first. @default no limit */
  readonly limit?: number | undefined;
}

/** Which items of the inbox to list. All conditions have to hold. */
export interface InboxFilter {
  readonly runId?: string | undefined;
  /** Only items that wait, or only those that are closed. */
  readonly open?: boolean | undefined;
}

/** Which memories are meant. All conditions have to hold. */
export interface MemoryFilter {
  readonly scope?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly phase?: string | undefined;
  /** Only those that come from this run. */
  readonly runId?: string | undefined;
}

/** What is said to a run by whoever does not work on it: in another process, or before it is resumed. JSON. */
export interface RunMessage {
  readonly runId: string;
  /** `answer` is for one item of the inbox, and an item takes one answer; `cancel` is for the run. */
  readonly kind: 'answer' | 'cancel';
  /** The item that is answered. */
  readonly item?: string | undefined;
  /** What is said; the run that is told makes sense of it. */
  readonly body: unknown;
  /** Who says it, as far as known. */
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
 * Keeps runs.
 *
 * Every method may throw, or reject, with a `PhasegateError`: `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`,
 * `STORE_UNREADABLE`, `STORE_CLOSED`, `STORE_FAILED` beside the codes below. It can be used again afterwards, but where it
 * is closed. What is handed over is copied, and what is handed out can be changed without changing what is kept.
 *
 * Ids of runs are any text that is not empty, well-formed and without the character U+0000; others are refused as
 * `STORE_MISUSED`. `runStoreContract` of `phasegate/testing` tests all that is said here.
 */
export interface RunStore {
  /**
   * Keeps a batch. It is durable once this has returned, or its promise has resolved; if it throws, nothing of it is kept.
   *
   * @param lease The right to do so, as `acquire` or `renew` gave it: its token counts. One that has expired is good until
   *   somebody else takes the run. Where it is left out nobody may have one.
   * @throws `SEQ_CONFLICT` where the first record does not follow on the last one kept; `LEASE_LOST` where another has
   *   taken the right since, or it was given back, or the run was removed; `RUN_LEASED` where no lease is shown and somebody
   *   has one; `STORE_MISUSED` where the batch does not hold together.
   */
  append(batch: Batch, lease?: Lease): Awaitable<void>;
  /**
   * Records of a run, oldest first; none where there is no such run.
   *
   * @param from Number of the first; below 1 is 1. @default 1
   * @param limit At most so many; below 0 is 0. @default no limit
   */
  read(runId: string, from?: number, limit?: number): Awaitable<readonly RunRecord[]>;
  /** One run; `undefined` where there is none of that id. */
  run(runId: string): Awaitable<ListedRun | undefined>;
  /** Runs, the latest started first, and of those that started together the latest kept first. */
  runs(filter?: RunFilter): Awaitable<readonly ListedRun[]>;
  /**
   * Removes a run with everything that belongs to it, and artifacts that no other run refers to.
   *
   * @returns Whether there was one.
   * @throws `RUN_LEASED` where somebody works on it.
   */
  remove(runId: string): Awaitable<boolean>;
  /**
   * Gives room that was taken by what is removed back, beside others who work with the store, and changes nothing of what is
   * kept. A store that has nothing to give back leaves it out.
   */
  compact?(): Awaitable<Compaction>;

  /**
   * Takes the right to append to a run, also to one that has no record yet.
   *
   * @param holder Who takes it, for people.
   * @param ms Milliseconds until it expires, above 0. Where the clock is set back, that long from when the next one asks.
   * @throws `RUN_LEASED` where somebody has it, also the same holder.
   */
  acquire(runId: string, holder: string, ms: number): Awaitable<Lease>;
  /**
   * Keeps the right for longer, from now on. The lease from before stays good, as their token is the same.
   *
   * @throws `LEASE_LOST` where it expired and another took it, it was given back, or the run was removed.
   */
  renew(lease: Lease, ms: number): Awaitable<Lease>;
  /** Gives the right back. Does nothing where it is lost. */
  release(lease: Lease): Awaitable<void>;

  /** Items of the inbox, the oldest first. @param filter All conditions have to hold. */
  inbox(filter?: InboxFilter): Awaitable<readonly InboxItem[]>;
  /** One item; `undefined` where there is none of that id. */
  item(id: string): Awaitable<InboxItem | undefined>;
  /**
   * Leaves a message for whoever works on the run, now or later.
   *
   * @throws `ANSWERED` where the item that it answers has an answer, or is closed; `ITEM_UNKNOWN` where the run has no such
   *   item; `RUN_UNKNOWN` where it has no record; `STORE_MISUSED` where an answer names no item, or the body is not JSON.
   */
  post(message: RunMessage): Awaitable<void>;
  /** Messages to a run after a place, oldest first. @param after Place of the last one known. @default 0 */
  messages(runId: string, after?: number): Awaitable<readonly KeptMessage[]>;
  /**
   * Place of the latest message to any run, also to one that was removed since; 0 where there never was one. With it, whoever looks
   * again and again sees at once that there is nothing new; a store may leave it out.
   */
  lastMessage?(): Awaitable<number>;

  /**
   * What runs have learned, the oldest first: of each phase of each pipeline, in each scope, the latest three that batches have
   * brought, whether their runs are still there or not. A store that remembers nothing has neither this nor `forget`.
   */
  memories?(filter?: MemoryFilter): Awaitable<readonly Memory[]>;
  /** Forgets what is meant. @returns How many that were. */
  forget?(filter?: MemoryFilter): Awaitable<number>;

  /** An artifact's content, JSON text; `undefined` where there is none. */
  artifact(hash: string): Awaitable<string | undefined>;
  /** Lets go of files. Nothing can be done with the store afterwards, but closing it again, which does nothing. */
  close(): Awaitable<void>;
}
