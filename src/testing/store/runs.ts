/**
 * Cases: listing of runs, and its filters.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { RunFilter, RunStore } from '../../store/port.ts';
import { batchOf, infoOf, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const runCases: Readonly<Record<string, CaseBody>> = {
  'find nothing in an empty store': async ({ store }) => {
    assert.equal(await store.run('r'), undefined);
    same(await store.runs(), []);
    same(await store.inbox(), []);
    same(await store.messages('r'), []);
    assert.equal(await store.item('r:1'), undefined);
    assert.equal(await store.artifact('h'), undefined);
  },

  'list runs, latest start first': async ({ store }) => {
    await fill(store);
    assert.deepEqual(await idsOf(store, {}), ['d', 'c', 'b', 'a']);
    assert.deepEqual(await idsOf(store), ['d', 'c', 'b', 'a']);
    same((await store.runs())[3], { ...infoOf('a', 1, { startedAt: 10, updatedAt: 100 }) });
  },

  'list runs with their tags and their time of work, if they have any': async ({ store }) => {
    const more = { tags: ['nightly', 'team=search'], workedMs: 1500.5 };
    await store.append(batchOf('r', 1, { info: more }));
    await store.append(batchOf('other', 1));
    const [other, tagged] = await store.runs();
    same(tagged, infoOf('r', 1, more));
    same(await store.run('r'), infoOf('r', 1, more));
    same(other, infoOf('other', 1));
    await store.append(batchOf('r', 2));
    same(await store.run('r'), infoOf('r', 2));
  },

  'list runs with equal starts by the order of storing, latest first': async ({ store }) => {
    for (const runId of ['x', 'z', 'y']) await store.append(batchOf(runId, 1));
    await store.append(batchOf('x', 2));
    assert.deepEqual(await idsOf(store), ['y', 'z', 'x']);
  },

  'list the runs that match a filter': async ({ store, pass }) => {
    await fill(store);
    await store.acquire('a', 'me', 1000);
    await store.acquire('unheard', 'me', 1000);
    const answers: readonly (readonly [RunFilter, string])[] = [
      [{ pipeline: 'article' }, 'dba'],
      [{ pipeline: 'Article' }, ''],
      [{ status: ['failed'] }, 'c'],
      [{ status: ['failed', 'running'] }, 'cba'],
      [{ status: [] }, ''],
      [{ updatedAfter: 100 }, 'dcb'],
      [{ updatedAfter: 99 }, 'dcba'],
      [{ updatedBefore: 100 }, 'a'],
      [{ updatedBefore: 300 }, 'cba'],
      [{ updatedAfter: 100, updatedBefore: 300 }, 'cb'],
      [{ leased: true }, 'a'],
      [{ leased: false }, 'dcb'],
      [{ leased: false, status: ['running'] }, 'b'],
      [{ limit: 2 }, 'dc'],
      [{ limit: 0 }, ''],
      [{ limit: 9 }, 'dcba'],
      [{ limit: 1, status: ['running'] }, 'b'],
      [{ limit: 1, pipeline: 'article', updatedBefore: 300 }, 'b'],
    ];
    for (const [filter, ids] of answers)
      assert.equal((await idsOf(store, filter)).join(''), ids, JSON.stringify(filter));
    pass(1000);
    assert.deepEqual(await idsOf(store, { leased: true }), []);
    assert.deepEqual(await idsOf(store, { leased: false, limit: 1 }), ['d']);
  },

  'return the lease of a run until it expires': async ({ store, pass }) => {
    await store.append(batchOf('r', 1));
    const lease = await store.acquire('r', 'host:1', 1000);
    same((await store.run('r'))?.lease, lease);
    same((await store.runs())[0]?.lease, lease);
    pass(999);
    same((await store.run('r'))?.lease, lease);
    pass(1);
    assert.equal((await store.run('r'))?.lease, undefined);
    assert.equal((await store.runs())[0]?.lease, undefined);
  },
};

// --- internal ---

async function fill(store: RunStore): Promise<void> {
  await store.append(batchOf('b', 1, { info: { startedAt: 20, updatedAt: 200 } }));
  await store.append(batchOf('a', 1, { info: { startedAt: 10, updatedAt: 100 } }));
  await store.append(batchOf('d', 1, { info: { startedAt: 40, updatedAt: 400, status: 'completed' } }));
  await store.append(batchOf('c', 1, { info: { startedAt: 30, updatedAt: 300, status: 'failed', pipeline: 'other' } }));
}

async function idsOf(store: RunStore, filter?: RunFilter): Promise<readonly string[]> {
  return (await store.runs(filter)).map(({ runId }) => runId);
}
