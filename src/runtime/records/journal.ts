/**
 * The way of one run's records into its store: ahead of what follows from them, in order, and as many at a time as there
 * are.
 *
 * A record is seen by nobody, and nothing is begun because of it, before it is kept. The machines go on meanwhile; what they
 * say lines up, and is the next batch.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { packRecord } from '../../model/events/large-values.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { foldMemories, type Memory } from '../../projections/run/learned.ts';
import { foldRunInfo, type RunOrigin } from '../../projections/run/run-info.ts';
import type { Artifact, Batch, Lease, RunStore } from '../../store/port.ts';
import { leaseLostError } from './lease-lost.ts';
import { publishUpTo, recordAt, type RecordLog } from './record-log.ts';

/** One run's records on their way. */
export interface Journal {
  /** Has everything kept that was said so far, when what goes on now is over. */
  write(): void;
  /** Calls back once everything that was said so far is kept; at once where it is. Never, where it cannot be. */
  whenDurable(go: () => void): void;
  /** Resolves when everything is kept, or with the error because of which it is not. */
  flush(): Promise<PhasegateError | undefined>;
  /** Items of the inbox that are open, as far as kept. */
  open(): readonly InboxItem[];
  /** Keeps nothing from now on. */
  abandon(): void;
}

/** What a journal is made of. */
export interface JournalOptions {
  readonly store: RunStore;
  /** Begins with what the store has of the run. */
  readonly log: RecordLog;
  /** The right to append; asked for with every batch, as it is renewed. */
  readonly lease: () => Lease | undefined;
  readonly origin?: RunOrigin | undefined;
  /** Called when records were kept, and may be seen. */
  readonly onKept: () => void;
  /** Called once, when the store refuses records. */
  readonly onFailure: (error: PhasegateError) => void;
}

/** Opens the journal of a run. */
export function createJournal({ store, log, lease, origin, onKept, onFailure }: JournalOptions): Journal {
  const info = foldRunInfo(origin);
  const inbox = foldInbox();
  const memory = store.memories && foldMemories();
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  let kept = log.publishedCount;
  let failure: PhasegateError | undefined;
  const state = { abandoned: false };
  let writing: Promise<void> | undefined;
  for (let at = 0; at < kept; at++) fold(at);

  function fold(at: number): Folded {
    const record = recordAt(log, at);
    if (!record) return NOTHING;
    info.apply(record);
    return { items: inbox.apply(record), memories: memory?.apply(record) ?? NOTHING.memories };
  }

  /** Everything that was said since. */
  function batchFrom(from: number): Batch {
    const items = new Map<string, InboxItem>();
    const artifacts = new Map<string, Artifact>();
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

  async function drain(): Promise<void> {
    await turn();
    while (kept < log.events.length && !failure && !state.abandoned) {
      let count = 0;
      try {
        const batch = batchFrom(kept);
        count = batch.records.length;
        const keeping = store.append(batch, lease());
        // One batch at a time keeps the order. A store that is done already is not waited for.
        if (keeping) await keeping;
      } catch (cause) {
        const error = await refused(store, log.runId, lease(), count, cause);
        // Who has given up on it meanwhile has told already why.
        if (state.abandoned) break;
        failure = error;
        onFailure(failure);
        break;
      }
      // Who has given up on it has told already how it ended.
      if (state.abandoned) break;
      kept += count;
      publishUpTo(log, kept);
      release();
      onKept();
      await turn();
    }
    writing = undefined;
  }

  /** Lets go of what waited for records that are kept now. */
  function release(): void {
    while (waiting[0] && waiting[0].at <= kept) waiting.shift()?.go();
  }

  return {
    write() {
      if (!failure && !state.abandoned) writing ??= drain();
    },
    whenDurable(go) {
      const at = log.events.length;
      if (at <= kept) go();
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

const REFUSED = 'Repair the store, then resume the run: everything that was seen of it is kept.';
/** Its file was removed, replaced or damaged. */
const GONE =
  'Put the store back as it was, then resume the run: what was seen of it was kept there. Where that is lost, start another run.';

function isUnreadable(cause: unknown): boolean {
  return PhasegateError.is(cause) && cause.code === 'STORE_UNREADABLE';
}

/** What a record leads to beside itself. */
interface Folded {
  readonly items: readonly InboxItem[];
  readonly memories: readonly Memory[];
}

const NOTHING: Folded = { items: [], memories: [] };

/**
 * Resolves when all that follows from what goes on now, and takes no time, is over: so that it is one batch, as a batch costs
 * as much as the disk takes, and not as many records as it has.
 */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

async function refused(
  store: Pick<RunStore, 'run'>,
  runId: string,
  lease: Lease | undefined,
  count: number,
  cause: unknown,
): Promise<PhasegateError> {
  // Nothing is wrong with the store.
  if (lease && PhasegateError.is(cause) && cause.code === 'LEASE_LOST') return leaseLostError(store, lease, cause);
  const problem = `Cannot go on with run ${runId} as its store refused ${count === 1 ? 'a record' : `${count} records`}`;
  return new PhasegateError('STORE_FAILED', problem, { hint: isUnreadable(cause) ? GONE : REFUSED, cause });
}
