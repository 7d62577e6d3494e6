/**
 * Batches: values that a store takes together.
 *
 * @module
 */
import type { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { PackedRecord } from '../model/events/large-values.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { Memory } from '../projections/run/learned.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import type { Awaitable, Lease } from './port.ts';

/** A value that records refer to instead of containing it. */
export interface StoredValue {
  /** SHA-256 of `content` in UTF-8, in hex. */
  readonly hash: string;
  /** JSON text. */
  readonly content: string;
}

/** Values that are stored together. */
export interface Batch {
  readonly runId: string;
  /** At least one; numbered from the last stored record on, without gaps. */
  readonly records: readonly PackedRecord[];
  /** The summary of the run after these records. */
  readonly info: RunInfo;
  /** Items of the inbox that the records open or change, in their new state. */
  readonly items: readonly InboxItem[];
  /** Values that the records refer to. One that the store has under the same hash is replaced if its content was changed. */
  readonly artifacts: readonly StoredValue[];
  /** Memories for later runs. A store without memories ignores them. @default none */
  readonly memories?: readonly Memory[] | undefined;
}

/** One of several batches that are stored together. */
export interface Append {
  readonly batch: Batch;
  /** As the second argument of `append`. */
  readonly lease: Lease | undefined;
}

/** The function by which a store takes records. */
export interface AppendFunction {
  /**
   * @param lease A lease from `acquire` or `renew`. Only its token counts. An expired one is good until another process takes the run.
   *   Without a lease, no process may have one.
   * @throws `SEQ_CONFLICT` if the first record does not follow the last stored one; `LEASE_LOST` if another process has taken the lease
   *   since, it was released, or the run was removed; `RUN_LEASED` if no lease is given and a process has one; `STORE_MISUSED` if the
   *   batch is inconsistent.
   */
  (batch: Batch, lease?: Lease): Awaitable<void>;
  /**
   * Stores batches of several runs at once, which costs a disk about as much as one. A store that gains nothing by it omits this. It belongs
   * to the function, so a store that wraps another, and replaces `append`, is not bypassed.
   *
   * @returns The error of each batch, in their order; `undefined` for a stored one. A refused batch keeps none of the others from being
   *   stored. If it throws, nothing is stored, and each batch is appended alone.
   */
  readonly all?: ((appends: readonly Append[]) => Awaitable<readonly (PhasegateError | undefined)[]>) | undefined;
}
