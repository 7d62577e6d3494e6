/**
 * Runs that are stored as a process that was killed leaves them.
 *
 * @module
 */
import { foldInbox } from '../src/projections/inbox/inbox-fold.ts';
import { foldRunInfo } from '../src/projections/run/run-info.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';

/** Stores the beginning of a run. @param forkOf The run that it is a fork of. */
export async function keep(store: RunStore, records: readonly RunRecord[], forkOf?: string): Promise<void> {
  const info = foldRunInfo({ forkOf });
  const inbox = foldInbox();
  for (const record of records) {
    info.apply(record);
    inbox.apply(record);
  }
  const [first] = records;
  if (first)
    await store.append({ runId: first.runId, records, info: info.info([]), items: inbox.open(), artifacts: [] });
}
