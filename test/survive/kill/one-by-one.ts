/**
 * A store that stores each record of a batch separately, with its large values. So a process can be killed between
 * any two records.
 *
 * @module
 */
import { packRecord, unpackRecord } from '../../../src/model/events/large-values.ts';
import { foldInbox } from '../../../src/projections/inbox/inbox-fold.ts';
import { foldRunInfo } from '../../../src/projections/run/run-info.ts';
import { readRun } from '../../../src/index.ts';
import type { RunStore } from '../../../src/store.ts';

export function oneByOne(good: RunStore): RunStore {
  return {
    ...good,
    async append(batch, lease) {
      const { runId, records, info, artifacts } = batch;
      const fold = foldRunInfo({ forkOf: info.forkOf, source: info.source, startedAt: info.startedAt });
      const inbox = foldInbox();
      for (const record of await readRun(good, runId)) {
        fold.apply(record);
        inbox.apply(record);
      }
      const contents = new Map(artifacts.map(({ hash, content }) => [hash, content]));
      for (const packed of records) {
        const record = await unpackRecord(packed, (hash) => contents.get(hash) ?? '');
        fold.apply(record);
        const items = inbox.apply(record);
        const waiting = [...new Set(inbox.open().map(({ about }) => about))];
        await good.append(
          { runId, records: [packed], info: fold.info(waiting), items, artifacts: packRecord(record).artifacts },
          lease,
        );
      }
    },
  };
}
