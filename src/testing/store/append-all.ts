/**
 * Cases: batches of several runs are stored at once, and a refused one keeps none of the others back. They apply only to a store that
 * can do so.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { Batch, RunStore } from '../../store/port.ts';
import { batchOf, openItem, pictureOf, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const appendAllCases: Readonly<Record<string, CaseBody>> = {
  'stores batches of several runs whole': async ({ store }) => {
    if (!store.append.all) return;
    const item = openItem('r', 1);
    const artifacts = [{ hash: 'h1', content: '1' }];
    const batches = [
      batchOf('r', 1, { count: 3, items: [item], artifacts }),
      batchOf('s', 1, { info: { status: 'failed' } }),
      batchOf('t', 1, { count: 2, artifacts }),
    ];
    same(await appendAll(store, batches), [undefined, undefined, undefined]);
    for (const { runId, records, info } of batches) {
      same(await store.read(runId), records);
      same(await store.run(runId), info);
    }
    same(await store.item(item.id), item);
    assert.equal(await store.artifact('h1'), '1');
    await store.remove('r');
    assert.equal(await store.artifact('h1'), '1');
  },

  'stores several batches of one run in their order': async ({ store }) => {
    if (!store.append.all) return;
    same(await appendAll(store, [batchOf('r', 1), batchOf('r', 2, { count: 2 })]), [undefined, undefined]);
    same(await store.read('r'), batchOf('r', 1, { count: 3 }).records);
  },

  'stores nothing of a refused batch, and all of the others': async ({ store }) => {
    if (!store.append.all) return;
    await store.append(batchOf('q', 1));
    const before = await pictureOf(store, 'q');
    const lease = await store.acquire('s', 'somebody', 1000);
    const appends = [
      batchOf('r', 1),
      batchOf('q', 1, { items: [openItem('q', 1)] }),
      batchOf('s', 1),
      { ...batchOf('t', 1), records: [] },
      batchOf('u', 1),
    ];
    same(await appendAll(store, appends), [undefined, 'SEQ_CONFLICT', 'RUN_LEASED', 'STORE_MISUSED', undefined]);
    same(await store.append.all([{ batch: batchOf('s', 1), lease }]), [undefined]);
    same(await pictureOf(store, 'q'), before);
    assert.equal(await store.run('t'), undefined);
    for (const run of ['r', 's', 'u']) same(await store.read(run), batchOf(run, 1).records);
  },

  'stores nothing for no batches': async ({ store }) => {
    same(await store.append.all?.([]), store.append.all && []);
    same(await store.runs(), []);
  },
};

// --- internal ---

async function appendAll(store: RunStore, batches: readonly Batch[]): Promise<unknown> {
  const errors = await store.append.all?.(batches.map((batch) => ({ batch, lease: undefined })));
  return errors?.map((error) => error?.code);
}
