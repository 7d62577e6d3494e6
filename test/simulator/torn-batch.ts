/**
 * A torn batch: its first records alone, as a batch that is consistent in itself.
 *
 * A store keeps a batch whole or not at all, so none leaves half of one. A run nevertheless has to continue from any of its records. This
 * is what a store would have that was restored to a point within a batch.
 *
 * @module
 */
import { packRecord, unpackRecord } from '../../src/model/events/large-values.ts';
import { foldInbox } from '../../src/projections/inbox/inbox-fold.ts';
import { foldRunInfo } from '../../src/projections/run/run-info.ts';
import { readRun } from '../../src/index.ts';
import type { Batch, RunStore, StoredValue } from '../../src/store.ts';
import type { InboxItem } from '../../src/inbox.ts';

/** Returns the first records of a batch with what follows from them. @param count Their number, from 1. */
export async function tornBatch(store: RunStore, batch: Batch, count: number): Promise<Batch> {
  const { runId, records, info, artifacts } = batch;
  const fold = foldRunInfo({ forkOf: info.forkOf, source: info.source, startedAt: info.startedAt });
  const inbox = foldInbox();
  for (const record of await readRun(store, runId)) {
    fold.apply(record);
    inbox.apply(record);
  }
  const contents = new Map(artifacts.map(({ hash, content }) => [hash, content]));
  const items = new Map<string, InboxItem>();
  const values: StoredValue[] = [];
  const kept = records.slice(0, count);
  for (const packed of kept) {
    const record = await unpackRecord(packed, (hash) => contents.get(hash) ?? '');
    fold.apply(record);
    for (const item of inbox.apply(record)) items.set(item.id, item);
    values.push(...packRecord(record).artifacts);
  }
  const waiting = [...new Set(inbox.open().map(({ about }) => about))];
  return { runId, records: kept, info: fold.info(waiting), items: [...items.values()], artifacts: values };
}
