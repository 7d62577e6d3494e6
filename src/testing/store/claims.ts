/**
 * Cases: claims of the next run. They are optional for a store, and apply only to one that can claim.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { workKey } from '../../model/handlers/work-key.ts';
import type { ClaimedRun, ClaimWish, RunStore } from '../../store/port.ts';
import { answerTo, batchOf, openItem, refuses, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const claimCases: Readonly<Record<string, CaseBody>> = {
  'claim unfinished runs that nobody has, earliest start first': async ({ store, pass }) => {
    if (!store.claim) return;
    for (const [runId, startedAt] of [
      ['b', 3],
      ['a', 4],
      ['c', 2],
    ] as const)
      await store.append(batchOf(runId, 1, { info: { startedAt } }));
    await store.append(batchOf('ended', 1, { info: { status: 'completed', startedAt: 1 } }));
    await store.append(batchOf('other', 1, { info: { pipeline: 'other', startedAt: 1 } }));
    await store.acquire('c', 'me', 1000);
    assert.deepEqual(await claimAll(store, { pipelines: [] }), []);
    assert.deepEqual(await claimAll(store), ['b', 'a']);
    pass(1000);
    assert.deepEqual(await claimAll(store, { pipelines: ['other', 'article', 'unknown'] }), ['other', 'c', 'b', 'a']);
  },

  'claim a suspended run when it is time, or after a message': async ({ store, now, pass }) => {
    if (!store.claim) return;
    for (const [runId, until] of [
      ['r', now() + 1000],
      ['s', Infinity],
    ] as const) {
      await store.append(batchOf(runId, 1, { items: [openItem(runId, 1)] }));
      await store.suspend(await store.acquire(runId, 'me', 500), until, 0);
    }
    pass(999);
    assert.deepEqual(await claimAll(store), []);
    pass(1);
    assert.deepEqual(await claimAll(store), ['r']);
    await store.post(answerTo('s', 's:1'));
    assert.deepEqual(await claimAll(store), ['s']);
    // A claimed run is not suspended any more.
    pass(1000);
    assert.deepEqual((await claimAll(store)).toSorted(), ['r', 's']);
  },

  'claim a run whose task has started another that got a message': async ({ store }) => {
    if (!store.claim) return;
    const child = workKey(['r', 'build', 0, 0, 'task', 'all']);
    for (const runId of ['r', child]) {
      await store.append(batchOf(runId, 1, { items: [openItem(runId, 1)] }));
      await store.suspend(await store.acquire(runId, 'me', 1000), Infinity, 0);
    }
    await store.post(answerTo(child, `${child}:1`));
    assert.deepEqual(await claimAll(store), ['r']);
    assert.deepEqual(
      (await store.ready(['article'], 9)).map(({ runId }) => runId),
      [child],
    );
  },

  'claim no run of a version or number of records that the caller leaves out': async ({ store }) => {
    if (!store.claim) return;
    for (const [runId, fingerprint] of [
      ['a', 'f00d'],
      ['b', 'beef'],
      ['c', 'cafe'],
    ] as const)
      await store.append(batchOf(runId, 1, { info: { fingerprint, source: '"fingerprint":"beef"' } }));
    const passed = [
      { runId: 'a', seq: 1 },
      { runId: 'b', seq: 2 },
    ];
    assert.deepEqual(await claimAll(store, { except: ['f00d', 'beef', 'cafe'] }), []);
    assert.deepEqual(await claimAll(store, { except: ['beef', 'caf'], passed }), ['c']);
    await store.append(batchOf('a', 2));
    assert.deepEqual(await claimAll(store, { except: ['beef'], passed }), ['a']);
    assert.deepEqual(await claimAll(store, { passed }), ['b']);
  },

  'claim a run with a lease as acquire() gives it': async ({ store, now, pass }) => {
    if (!store.claim) return;
    await store.append(batchOf('r', 1));
    const claimed = await claim(store);
    assert.ok(claimed, 'Expected a run');
    const { run, lease } = claimed;
    assert.equal(run.seq, 1);
    assert.equal(run.lease, undefined);
    assert.deepEqual({ ...lease, token: '' }, { runId: 'r', holder: 'me', token: '', expiresAt: now() + 1000 });
    same((await store.run('r'))?.lease, lease);
    await refuses('RUN_LEASED', () => store.acquire('r', 'other', 1000));
    await store.append(batchOf('r', 2), lease);
    pass(999);
    await store.renew(lease, 1000);
    pass(999);
    assert.equal(await claim(store), undefined);
    pass(1);
    const next = await claim(store, { holder: 'next' });
    assert.equal(next?.run.seq, 2);
    if (next.run.lapsed) assert.equal(next.run.lapsed.token, lease.token);
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 3), lease));
    await store.release(next.lease);
    assert.equal((await claim(store))?.run.runId, 'r');
  },

  'claim another run for each of several callers at once': async ({ store }) => {
    if (!store.claim) return;
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const runId of ids) await store.append(batchOf(runId, 1));
    const claimed = await Promise.all(Array.from({ length: 8 }, async () => claim(store)));
    assert.deepEqual(claimed.flatMap((one) => one?.run.runId ?? []).toSorted(), ids);
    assert.equal(new Set(claimed.map((one) => one?.lease.token)).size, ids.length + 1);
  },

  'claim nothing for a time that is no duration': async ({ store }) => {
    if (!store.claim) return;
    await store.append(batchOf('r', 1));
    for (const ms of [0, -1, NaN, Infinity]) await refuses('STORE_MISUSED', () => claim(store, { ms }));
    assert.equal((await store.run('r'))?.lease, undefined);
  },
};

// --- internal ---

async function claim(store: RunStore, wish: Partial<ClaimWish> = {}): Promise<ClaimedRun | undefined> {
  return store.claim?.({ pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 1000, ...wish });
}

/** The ids of all runs that can be claimed, in their order. */
async function claimAll(store: RunStore, wish: Partial<ClaimWish> = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let one = await claim(store, wish); one; one = await claim(store, wish)) ids.push(one.run.runId);
  return ids;
}
