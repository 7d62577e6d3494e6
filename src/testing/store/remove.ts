/**
 * Cases: removing of runs with their data.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { answerTo, batchOf, openItem, pictureOf, refuses, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const removeCases: Readonly<Record<string, CaseBody>> = {
  'removes a run with its data, and nothing else': async ({ store }) => {
    for (const runId of ['q', 'r', 's']) {
      await store.append(batchOf(runId, 1, { count: 3, items: [openItem(runId, 1)] }));
      await store.post(answerTo(runId, `${runId}:1`));
    }
    const others = [await pictureOf(store, 'q'), await pictureOf(store, 's')];
    assert.equal(await store.remove('r'), true);
    same(await pictureOf(store, 'r'), { run: undefined, records: [], items: [], messages: [] });
    assert.equal(await store.item('r:1'), undefined);
    assert.equal((await store.runs()).length, 2);
    same([await pictureOf(store, 'q'), await pictureOf(store, 's')], others);
  },

  'compacts a store without losing data': async ({ store }) => {
    const artifacts = [{ hash: 'mine', content: JSON.stringify('x'.repeat(20_000)) }];
    for (const runId of ['q', 'r', 's']) {
      await store.append(batchOf(runId, 1, { count: 300, items: [openItem(runId, 1)], artifacts }));
      await store.post(answerTo(runId, `${runId}:1`));
    }
    const lease = await store.acquire('s', 'me', 60_000);
    const others = [await pictureOf(store, 'q'), await pictureOf(store, 's')];
    await store.remove('r');
    const { freed, unused } = (await store.compact?.()) ?? { freed: 0, unused: 0 };
    assert.ok(freed >= 0 && unused >= 0);
    same([await pictureOf(store, 'q'), await pictureOf(store, 's')], others);
    assert.equal(await store.artifact('mine'), artifacts[0]?.content);
    await store.append(batchOf('s', 301), lease);
    assert.equal((await store.read('s')).length, 301);
    await store.compact?.();
    assert.equal((await store.read('q')).length, 300);
  },

  'returns true if there was such a run': async ({ store }) => {
    assert.equal(await store.remove('r'), false);
    await store.append(batchOf('r', 1));
    assert.equal(await store.remove('r'), true);
    assert.equal(await store.remove('r'), false);
  },

  'removes artifacts with the last run that refers to them': async ({ store }) => {
    const both = { hash: 'both', content: '1' };
    await store.append(batchOf('r', 1, { artifacts: [both, { hash: 'mine', content: '2' }] }));
    await store.append(batchOf('s', 1, { artifacts: [both] }));
    await store.remove('r');
    assert.equal(await store.artifact('both'), '1');
    assert.equal(await store.artifact('mine'), undefined);
    await store.remove('s');
    assert.equal(await store.artifact('both'), undefined);
  },

  'allows a new run with the same id': async ({ store }) => {
    await store.append(batchOf('r', 1, { count: 3, items: [openItem('r', 1)] }));
    await store.post(answerTo('r', 'r:1'));
    const [old] = await store.messages('r');
    await store.remove('r');
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 4)));
    await store.append(batchOf('r', 1, { items: [openItem('r', 1)] }));
    await store.post(answerTo('r', 'r:1'));
    const [kept] = await store.messages('r');
    assert.ok(old && kept && kept.id > old.id);
  },

  'refuses while a process works on the run': async ({ store, pass }) => {
    await store.append(batchOf('r', 1));
    const lease = await store.acquire('r', 'me', 1000);
    await store.acquire('unheard', 'me', 1000);
    await refuses('RUN_LEASED', () => store.remove('r'));
    await refuses('RUN_LEASED', () => store.remove('unheard'));
    assert.equal((await store.read('r')).length, 1);
    pass(1000);
    assert.equal(await store.remove('r'), true);
    assert.equal(await store.remove('unheard'), false);
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 1), lease));
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 2), lease));
  },
};
