/**
 * Cases: runs that a process may continue, and runs that are suspended until later.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { workKey } from '../../model/handlers/work-key.ts';
import type { RunStore } from '../../store/port.ts';
import { answerTo, batchOf, openItem, refuses, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const readyCases: Readonly<Record<string, CaseBody>> = {
  'list unfinished runs that nobody has, earliest start first': async ({ store, pass }) => {
    for (const [runId, startedAt] of [
      ['b', 3],
      ['a', 4],
      ['c', 2],
    ] as const)
      await store.append(batchOf(runId, 1, { info: { startedAt } }));
    await store.append(batchOf('ended', 1, { info: { status: 'completed' } }));
    await store.append(batchOf('other', 1, { info: { pipeline: 'other', startedAt: 1 } }));
    assert.deepEqual(await idsOf(store), ['c', 'b', 'a']);
    assert.deepEqual(await idsOf(store, ['other', 'article', 'unknown'], 2), ['other', 'c']);
    assert.deepEqual(await idsOf(store, []), []);
    await store.acquire('b', 'me', 1000);
    assert.deepEqual(await idsOf(store), ['c', 'a']);
    pass(1000);
    assert.deepEqual(await idsOf(store), ['c', 'b', 'a']);
  },

  'list no run of a version that the caller leaves out': async ({ store }) => {
    for (const [runId, fingerprint] of [
      ['a', 'f00d'],
      ['b', 'beef'],
      ['c', 'cafe'],
    ] as const)
      await store.append(batchOf(runId, 1, { info: { fingerprint, source: '"fingerprint":"beef"' } }));
    const idsWithout = async (...except: readonly string[]) =>
      (await store.ready(['article'], 2, except)).map(({ runId }) => runId);
    assert.deepEqual(await idsWithout(), ['a', 'b']);
    assert.deepEqual(await idsWithout('beef'), ['a', 'c']);
    assert.deepEqual(await idsWithout('f00d', 'beef', 'bee'), ['c']);
    assert.deepEqual(await idsWithout('f00d', 'beef', 'cafe'), []);
    await store.append(batchOf('b', 2, { info: { fingerprint: 'new' } }));
    assert.deepEqual(await idsWithout('f00d', 'beef', 'cafe'), ['b']);
  },

  'list no run that has ended, until it is reopened': async ({ store }) => {
    await store.append(batchOf('r', 1));
    await store.append(batchOf('r', 2, { info: { status: 'failed' } }));
    await store.post({ runId: 'r', kind: 'cancel', body: 'late', by: 'bob', time: 1 });
    assert.deepEqual(await idsOf(store), []);
    const lease = await store.acquire('r', 'me', 1000);
    await store.release(lease);
    assert.deepEqual(await idsOf(store), []);
    await store.append(batchOf('r', 3));
    assert.deepEqual(await idsOf(store), ['r']);
  },

  'list a suspended run when it is time': async ({ store, now, pass }) => {
    const lease = await waiting(store, 'r');
    await store.suspend(lease, now() + 1000, 0);
    assert.equal((await store.run('r'))?.lease, undefined);
    assert.deepEqual(await idsOf(store), []);
    pass(999);
    assert.deepEqual(await idsOf(store), []);
    pass(1);
    assert.deepEqual(await idsOf(store), ['r']);
  },

  'list a run that is suspended without a time only after a message': async ({ store, pass }) => {
    for (const runId of ['r', 's']) await store.suspend(await waiting(store, runId), Infinity, 0);
    pass(1e12);
    assert.deepEqual(await idsOf(store), []);
    await store.post(answerTo('r', 'r:1'));
    assert.deepEqual(await idsOf(store), ['r']);
    await refuses('ANSWERED', () => store.post(answerTo('r', 'r:1')));
    await refuses('ITEM_UNKNOWN', () => store.post(answerTo('s', 's:9')));
    assert.deepEqual(await idsOf(store), ['r']);
  },

  'suspend no run with a message that it has not received': async ({ store }) => {
    const lease = await waiting(store, 'r');
    await store.post(answerTo('r', 'r:1'));
    await store.suspend(lease, Infinity, 0);
    assert.deepEqual(await idsOf(store), ['r']);
    const again = await store.acquire('r', 'me', 1000);
    const [message] = await store.messages('r');
    await store.suspend(again, Infinity, message?.id ?? 0);
    assert.deepEqual(await idsOf(store), []);
  },

  'list a suspended run after a message to a run that a task of it has started, and to one of that': async ({
    store,
  }) => {
    const child = workKey(['r', 'build', 0, 0, 'task', 'all']);
    const others = ['r2', 's', workKey(['s', 'build', 0, 0, 'task', 'all'])];
    for (const runId of ['r', child, workKey([child, 'x', 0, 0, 'task', 'y']), ...others]) {
      await store.suspend(await waiting(store, runId), Infinity, 0);
    }
    let heard = 0;
    for (const runId of [child, workKey([child, 'x', 0, 0, 'task', 'y'])]) {
      const woken = [...new Set(['r', child, runId])];
      await store.post(answerTo(runId, `${runId}:1`));
      assert.deepEqual((await idsOf(store)).toSorted(), woken.toSorted());
      const [message] = (await store.messages(runId)).slice(-1);
      for (const id of woken) {
        // It has received messages up to the one before.
        await store.suspend(await store.acquire(id, 'me', 1000), Infinity, heard);
        assert.deepEqual((await idsOf(store)).toSorted(), woken.toSorted());
      }
      heard = message?.id ?? 0;
      for (const id of woken) await store.suspend(await store.acquire(id, 'me', 1000), Infinity, heard);
      assert.deepEqual(await idsOf(store), []);
    }
  },

  'let anybody acquire a suspended run, which is then suspended no more': async ({ store, pass }) => {
    await store.suspend(await waiting(store, 'r'), Infinity, 0);
    const lease = await store.acquire('r', 'other', 1000);
    await store.append(batchOf('r', 2), lease);
    assert.deepEqual(await idsOf(store), []);
    pass(1000);
    assert.deepEqual(await idsOf(store), ['r']);
  },

  'let only the holder suspend a run': async ({ store, pass }) => {
    const lease = await waiting(store, 'r');
    pass(1000);
    const next = await store.acquire('r', 'other', 1000);
    await refuses('LEASE_LOST', () => store.suspend(lease, Infinity, 0));
    assert.equal((await store.run('r'))?.lease?.token, next.token);
    await store.suspend(next, Infinity, 0);
    await refuses('LEASE_LOST', () => store.suspend(next, Infinity, 0));
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 2), next));
    assert.equal(await store.remove('r'), true);
    assert.deepEqual(await idsOf(store), []);
  },
};

// --- internal ---

async function idsOf(store: RunStore, pipelines: readonly string[] = ['article'], limit = 100): Promise<string[]> {
  return (await store.ready(pipelines, limit)).map(({ runId }) => runId);
}

/** A run with an open item, and its lease. */
async function waiting(store: RunStore, runId: string) {
  await store.append(batchOf(runId, 1, { items: [openItem(runId, 1)] }));
  return store.acquire(runId, 'me', 1000);
}
