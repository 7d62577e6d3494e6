/**
 * Writing of one run's records to its store: in order, in batches, and before anything follows from them.
 *
 * A record is published, and work that it starts begins, only after the record is stored. The machines continue meanwhile; their new
 * events form the next batch.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { packRecord } from '../../model/events/large-values.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { foldMemories, type Memory } from '../../projections/run/learned.ts';
import { foldRunInfo, type RunOrigin } from '../../projections/run/run-info.ts';
import type { Append, Batch, Lease, RunStore, StoredValue } from '../../store/port.ts';
import { isStoreBusy } from '../../store/refusals.ts';
import { queueOf } from './append-queue.ts';
import { leaseLostError } from './lease-lost.ts';
import { publishUpTo, recordAt, type RecordLog } from './record-log.ts';

/** The journal of one run. */
export interface Journal {
  /** Starts to store all records so far, after the current synchronous work. */
  write(): void;
  /** Calls back once all records so far are stored, at once if they are. Never calls back if the store refuses them. */
  whenDurable(go: () => void): void;
  /** Resolves when all records are stored, or with the error that prevented it. */
  flush(): Promise<PhasegateError | undefined>;
  /** Open items of the inbox, according to the stored records. */
  open(): readonly InboxItem[];
  /** Stores no more records. */
  abandon(): void;
}

/** Dependencies of a journal. */
export interface JournalOptions {
  readonly store: RunStore;
  /** Contains the records that the store already has. */
  readonly log: RecordLog;
  /** Returns the current lease. It is read for every batch, as it is renewed in between. */
  readonly lease: () => Lease | undefined;
  readonly origin?: RunOrigin | undefined;
  /** Called after each batch is stored and its records are published. */
  readonly onStored: () => void;
  /** Called once, when the store refuses records. */
  readonly onFailure: (error: PhasegateError) => void;
}

/** Creates the journal of a run. */
export function createJournal({ store, log, lease, origin, onStored, onFailure }: JournalOptions): Journal {
  const queue = queueOf(store);
  const info = foldRunInfo(origin);
  const inbox = foldInbox();
  const memory = store.memories && foldMemories();
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  let storedCount = log.publishedCount;
  let failure: PhasegateError | undefined;
  const state = { abandoned: false };
  let writing: Promise<void> | undefined;
  for (let at = 0; at < storedCount; at++) fold(at);

  function fold(at: number): Folded {
    const record = recordAt(log, at);
    if (!record) return NOTHING;
    info.apply(record);
    return { items: inbox.apply(record), memories: memory?.apply(record) ?? NOTHING.memories };
  }

  /** The batch of all records from an index on. */
  function batchFrom(from: number): Batch {
    const items = new Map<string, InboxItem>();
    const artifacts = new Map<string, StoredValue>();
    const memories: Memory[] = [];
    const records = log.events.slice(from).flatMap((_, index) => {
      const record = recordAt(log, from + index);
      if (!record) return [];
      const folded = fold(from + index);
      for (const item of folded.items) items.set(item.id, item);
      memories.push(...folded.memories);
      const packed = packRecord(record);
      for (const artifact of packed.artifacts) artifacts.set(artifact.hash, artifact);
      return [packed.record];
    });
    const names = inbox.open().map(({ about }) => about);
    return {
      runId: log.runId,
      records,
      info: info.info([...new Set(names)]),
      items: [...items.values()],
      artifacts: [...artifacts.values()],
      ...(memories.length > 0 && { memories }),
    };
  }

  /** Returns what is to be stored now; `undefined` if there is nothing. */
  function next(): Append | undefined {
    if (storedCount >= log.events.length || failure || state.abandoned) return undefined;
    return { batch: batchFrom(storedCount), lease: lease() };
  }

  async function drain(): Promise<void> {
    for (;;) {
      let count = 0;
      try {
        // Batches of a run are stored one at a time, which keeps the order.
        await queue.append(() => {
          const append = next();
          count = append?.batch.records.length ?? 0;
          return append;
        });
      } catch (cause) {
        const error = await refusalOf(store, log.runId, lease(), count, cause);
        // If the journal was abandoned in between, its owner has already reported the reason.
        if (state.abandoned) break;
        failure = error;
        onFailure(failure);
        break;
      }
      // If the journal was abandoned in between, its owner has already reported the end.
      if (state.abandoned) break;
      // A record may have come since there was nothing to store.
      if (count === 0 && storedCount >= log.events.length) break;
      storedCount += count;
      publishUpTo(log, storedCount);
      release();
      onStored();
    }
    writing = undefined;
  }

  /** Starts the work that waited for records that are now stored. */
  function release(): void {
    while (waiting[0] && waiting[0].at <= storedCount) waiting.shift()?.go();
  }

  return {
    write() {
      if (!failure && !state.abandoned) writing ??= drain();
    },
    whenDurable(go) {
      // The log is cut once nothing more can be stored, so its length then says nothing about what is.
      if (state.abandoned || failure) return;
      const at = log.events.length;
      if (at <= storedCount) go();
      else waiting.push({ at, go });
    },
    async flush() {
      await writing;
      return failure;
    },
    open: () => inbox.open(),
    abandon() {
      state.abandoned = true;
      waiting.length = 0;
    },
  };
}

// --- internal ---

const REFUSED = 'Repair the store, then resume the run: all its published records are stored.';
/** Hint if the file of the store was removed, replaced or damaged. */
const GONE =
  'Restore the store, then resume the run: all its published records were stored there. If they are lost, start another run.';

/** Hint if another program has kept the store busy for longer than the lease lasts. */
const LOCKED =
  'End the program that keeps the store locked, then resume the run: all its published records are stored.';

function isUnreadable(cause: unknown): boolean {
  return PhasegateError.is(cause) && cause.code === 'STORE_UNREADABLE';
}

/** Changes to inbox and memory that a record causes. */
interface Folded {
  readonly items: readonly InboxItem[];
  readonly memories: readonly Memory[];
}

const NOTHING: Folded = { items: [], memories: [] };

async function refusalOf(
  store: Pick<RunStore, 'run'>,
  runId: string,
  lease: Lease | undefined,
  count: number,
  cause: unknown,
): Promise<PhasegateError> {
  // A lost lease is no fault of the store.
  if (lease && PhasegateError.is(cause) && cause.code === 'LEASE_LOST') return leaseLostError(store, lease, cause);
  const problem = `Cannot continue run ${runId} as its store refused ${count === 1 ? 'a record' : `${count} records`}`;
  return new PhasegateError('STORE_FAILED', problem, {
    hint: isUnreadable(cause) ? GONE : isStoreBusy(cause) ? LOCKED : REFUSED,
    cause,
  });
}
