/**
 * Writing of one run's records to its store: in order, in batches, and before anything follows from them.
 *
 * A record is published, and work that it starts begins, only after the record is stored. The machines continue meanwhile; their new
 * events form the next batch.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { packRecord } from '../../model/events/large-values.ts';
import type { RunTimesFold } from '../../model/events/run-times.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { foldMemories, type Memory, type MemoryFold } from '../../projections/run/learned.ts';
import { foldRunInfo, type RunInfoFold, type RunOrigin } from '../../projections/run/run-info.ts';
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
  /** Times of the run according to the stored records, as a fold that goes on by itself. */
  times(): RunTimesFold;
  /** Stores no more records. */
  abandon(): void;
}

/** Dependencies of a journal. */
export interface JournalOptions {
  readonly store: RunStore;
  /** Contains the records that the store already has. */
  readonly log: RecordLog;
  /** Returns the current lease. It is read for every batch, as it is renewed in between. */
  lease(): Lease | undefined;
  readonly origin?: RunOrigin | undefined;
  /** True if records may be written. Those of before are written with the next one. @default always */
  isOpen?(): boolean;
  /** Called after each batch is stored and its records are published. */
  onStored(): void;
  /** Called once, when the store refuses records. */
  onFailure(error: PhasegateError): void;
}

/** Creates the journal of a run. */
export function createJournal(options: JournalOptions): Journal {
  return new RunJournal(options);
}

// --- internal ---

/** Work that waits until a number of records is stored. */
interface Waiting {
  readonly at: number;
  readonly go: () => void;
}

/** The journal of one run. A class, as functions of its own would take a kilobyte of each stored run. */
class RunJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #info: RunInfoFold;
  readonly #inbox = foldInbox();
  readonly #memory: MemoryFold | undefined;
  /** Created with the first. */
  #waiting: Waiting[] | undefined = undefined;
  #storedCount: number;
  #failure: PhasegateError | undefined = undefined;
  #isAbandoned = false;
  #writing: Promise<void> | undefined = undefined;

  constructor(options: JournalOptions) {
    const { store, log, origin } = options;
    this.#options = options;
    this.#info = foldRunInfo(origin);
    this.#memory = store.memories && foldMemories();
    this.#storedCount = log.publishedCount;
    for (let at = 0; at < this.#storedCount; at++) this.#fold(at);
  }

  write(): void {
    if (this.#failure || this.#isAbandoned || this.#options.isOpen?.() === false) return;
    this.#writing ??= this.#drain();
  }

  whenDurable(go: () => void): void {
    // The log is cut once nothing more can be stored, so its length then says nothing about what is.
    if (this.#isAbandoned || this.#failure) return;
    const at = this.#options.log.events.length;
    if (at <= this.#storedCount) go();
    else if (this.#waiting) this.#waiting.push({ at, go });
    else this.#waiting = [{ at, go }];
  }

  async flush(): Promise<PhasegateError | undefined> {
    await this.#writing;
    return this.#failure;
  }

  open(): readonly InboxItem[] {
    return this.#inbox.open();
  }

  times(): RunTimesFold {
    return this.#info.times();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#waiting = undefined;
  }

  #fold(at: number): Folded {
    const record = recordAt(this.#options.log, at);
    if (!record) return NOTHING;
    this.#info.apply(record);
    return { items: this.#inbox.apply(record), memories: this.#memory?.apply(record) ?? NOTHING.memories };
  }

  /** The batch of all records from an index on. */
  #batchFrom(from: number): Batch {
    const { log } = this.#options;
    const items = new Map<string, InboxItem>();
    const artifacts = new Map<string, StoredValue>();
    const memories: Memory[] = [];
    const records = log.events.slice(from).flatMap((_, index) => {
      const record = recordAt(log, from + index);
      if (!record) return [];
      const folded = this.#fold(from + index);
      for (const item of folded.items) items.set(item.id, item);
      memories.push(...folded.memories);
      const packed = packRecord(record);
      for (const artifact of packed.artifacts) artifacts.set(artifact.hash, artifact);
      return [packed.record];
    });
    const names = this.#inbox.open().map(({ about }) => about);
    return {
      runId: log.runId,
      records,
      info: this.#info.info([...new Set(names)]),
      items: [...items.values()],
      artifacts: [...artifacts.values()],
      ...(memories.length > 0 && { memories }),
    };
  }

  /** Returns what is to be stored now; `undefined` if there is nothing. */
  #next(): Append | undefined {
    const { log } = this.#options;
    if (this.#storedCount >= log.events.length || this.#failure || this.#isAbandoned) return undefined;
    return { batch: this.#batchFrom(this.#storedCount), lease: this.#options.lease() };
  }

  async #drain(): Promise<void> {
    const { store, log } = this.#options;
    for (;;) {
      let count = 0;
      try {
        // Batches of a run are stored one at a time, which keeps the order.
        await queueOf(store).append(() => {
          const append = this.#next();
          count = append?.batch.records.length ?? 0;
          return append;
        });
      } catch (cause) {
        const error = await refusalOf(store, log.runId, this.#options.lease(), count, cause);
        // If the journal was abandoned in between, its owner has already reported the reason.
        if (this.#isAbandoned) break;
        this.#failure = error;
        this.#options.onFailure(error);
        break;
      }
      // If the journal was abandoned in between, its owner has already reported the end.
      if (this.#isAbandoned) break;
      // A record may have come since there was nothing to store.
      if (count === 0 && this.#storedCount >= log.events.length) break;
      this.#storedCount += count;
      publishUpTo(log, this.#storedCount);
      this.#release();
      this.#options.onStored();
      // A later record begins again.
      if (this.#storedCount >= log.events.length) break;
    }
    this.#writing = undefined;
  }

  /** Starts the work that waited for records that are now stored. */
  #release(): void {
    for (let first = this.#waiting?.[0]; first && first.at <= this.#storedCount; first = this.#waiting?.[0]) {
      this.#waiting?.shift();
      first.go();
    }
    if (this.#waiting?.length === 0) this.#waiting = undefined;
  }
}

const REFUSED = 'Repair the store, then resume the run: all its published records are stored.';
/** Hint if the file of the store was removed, replaced or damaged. */
const GONE =
  'Restore the store, then resume the run: all its published records were stored there. If they are lost, start another run.';

/** Hint if another program has kept the store busy for longer than the lease lasts. */
const LOCKED =
  'End the program that keeps the store locked, then resume the run: all its published records are stored.';

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
  if (lease && hasCode(cause, 'LEASE_LOST')) return leaseLostError(store, lease, cause);
  const problem = `Cannot continue run ${runId} as its store refused ${count === 1 ? 'a record' : `${count} records`}`;
  return new PhasegateError('STORE_FAILED', problem, {
    hint: hasCode(cause, 'STORE_UNREADABLE') ? GONE : isStoreBusy(cause) ? LOCKED : REFUSED,
    cause,
  });
}
