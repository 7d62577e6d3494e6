/**
 * Storing of records of another run as a new run, for forks and imports.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { packRecord } from '../../model/events/large-values.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { foldRunInfo, type RunOrigin } from '../../projections/run/run-info.ts';
import { thisHolder } from '../../store/holder.ts';
import type { Batch, RunStore, StoredValue } from '../../store/port.ts';
import { patientStore } from './patient-store.ts';
import { giveBack } from './release-lease.ts';

/** Stores records of another run as those of a new run. */
export async function copyRun(
  given: RunStore,
  runId: string,
  records: readonly RunRecord[],
  origin: RunOrigin,
): Promise<void> {
  const store = patientStore(given);
  const lease = await store.acquire(runId, thisHolder(), FORK_MS);
  try {
    await store.append(batchOf(runId, records, origin), lease);
  } finally {
    await giveBack(store, lease);
  }
}

/** The batch of a whole run. @param closed True to keep items that are closed. */
export function batchOf(
  runId: string,
  copied: readonly RunRecord[],
  origin: RunOrigin,
  { closed = false }: { readonly closed?: boolean } = {},
): Batch {
  const info = foldRunInfo(origin);
  const inbox = foldInbox();
  const all = new Map<string, InboxItem>();
  const artifacts = new Map<string, StoredValue>();
  const records = copied.map((record) => {
    const own = { ...record, runId };
    info.apply(own);
    for (const item of inbox.apply(own)) all.set(item.id, item);
    const packed = packRecord(own);
    for (const artifact of packed.artifacts) artifacts.set(artifact.hash, artifact);
    return packed.record;
  });
  const open = inbox.open();
  return {
    runId,
    records,
    info: info.info([...new Set(open.map(({ about }) => about))]),
    items: closed ? [...all.values()] : open,
    artifacts: [...artifacts.values()],
  };
}

// --- internal ---

/** Duration of the lease for copying, in milliseconds. */
const FORK_MS = 60_000;
