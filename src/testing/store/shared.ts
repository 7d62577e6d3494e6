/**
 * Cases: two stores of one place, at the same time and one after the other.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { answerTo, batchOf, openItem, pictureOf, refuses, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const sharedCases: Readonly<Record<string, CaseBody>> = {
  'see writes of the other store at once': async ({ store, open }) => {
    const other = await open();
    same(await other.runs(), []);
    await store.append(batchOf('r', 1, { items: [openItem('r', 1)], artifacts: [{ hash: 'h', content: '1' }] }));
    same(await other.read('r'), batchOf('r', 1).records);
    same(await other.inbox({ open: true }), [openItem('r', 1)]);
    assert.equal(await other.artifact('h'), '1');
    await other.post(answerTo('r', 'r:1'));
    assert.equal((await store.messages('r')).length, 1);
    await refuses('ANSWERED', () => store.post(answerTo('r', 'r:1')));
    await other.remove('r');
    same(await store.runs(), []);
  },

  'share one order of records': async ({ store, open }) => {
    const other = await open();
    await store.append(batchOf('r', 1));
    await refuses('SEQ_CONFLICT', () => other.append(batchOf('r', 1)));
    await other.append(batchOf('r', 2));
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 2)));
    await store.append(batchOf('r', 3));
    same(await other.read('r'), batchOf('r', 1, { count: 3 }).records);
  },

  'exclude each other from a leased run': async ({ store, open, pass }) => {
    const other = await open();
    const lease = await store.acquire('r', 'a', 1000);
    await refuses('RUN_LEASED', () => other.acquire('r', 'b', 1000));
    await refuses('RUN_LEASED', () => other.append(batchOf('r', 1)));
    pass(1000);
    const taken = await other.acquire('r', 'b', 1000);
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 1), lease));
    // A lease is plain data, and valid in every store of the place.
    await store.append(batchOf('r', 1), taken);
  },

  'claim each run once': async ({ store, open }) => {
    if (!store.claim) return;
    const others = [await open(), await open()];
    const ids = Array.from({ length: 12 }, (_, at) => `r${at}`);
    for (const runId of ids) await store.append(batchOf(runId, 1));
    const claimed = await Promise.all(
      [store, ...others].map(async (one) => {
        const own: string[] = [];
        for (;;) {
          const next = await one.claim?.({ pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 1000 });
          if (!next) return own;
          own.push(next.run.runId);
        }
      }),
    );
    assert.deepEqual(claimed.flat().toSorted(), ids.toSorted());
  },

  'see the same data one after the other': async ({ store, open }) => {
    await store.append(
      batchOf('r', 1, { count: 3, items: [openItem('r', 2)], artifacts: [{ hash: 'h', content: '1' }] }),
    );
    await store.post(answerTo('r', 'r:2'));
    const lease = await store.acquire('r', 'a', 1000);
    const before = await pictureOf(store, 'r');
    await store.close();
    const next = await open();
    same(await pictureOf(next, 'r'), before);
    assert.equal(await next.artifact('h'), '1');
    await refuses('ANSWERED', () => next.post(answerTo('r', 'r:2')));
    await refuses('RUN_LEASED', () => next.acquire('r', 'b', 1000));
    await next.append(batchOf('r', 4), lease);
  },
};
