/**
 * Cases: leases, and the right to append.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { batchOf, refuses, same, successes, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const leaseCases: Readonly<Record<string, CaseBody>> = {
  'give a run to one holder': async ({ store, now }) => {
    const lease = await store.acquire('r', 'host:1', 1000);
    assert.equal(lease.runId, 'r');
    assert.equal(lease.holder, 'host:1');
    assert.equal(lease.expiresAt, now() + 1000);
    await refuses('RUN_LEASED', () => store.acquire('r', 'host:2', 1000));
    await refuses('RUN_LEASED', () => store.acquire('r', 'host:1', 1000));
    const other = await store.acquire('s', 'host:1', 1000);
    assert.notEqual(other.token, lease.token);
  },

  'give a run to one of several concurrent holders': async ({ store }) => {
    const calls = ['a', 'b', 'c'].map((holder) => () => store.acquire('r', holder, 1000));
    assert.equal(await successes('RUN_LEASED', calls), 1);
  },

  'give a run to one of several concurrent calls of one holder': async ({ store }) => {
    const calls = ['a', 'a', 'a'].map((holder) => () => store.acquire('r', holder, 1000));
    assert.equal(await successes('RUN_LEASED', calls), 1);
  },

  'create no run before its first record': async ({ store }) => {
    const lease = await store.acquire('r', 'me', 1000);
    assert.equal(await store.run('r'), undefined);
    same(await store.runs({}), []);
    await store.append(batchOf('r', 1), lease);
    assert.equal((await store.run('r'))?.lease?.token, lease.token);
  },

  'let only the holder append': async ({ store }) => {
    await store.append(batchOf('r', 1));
    const lease = await store.acquire('r', 'me', 1000);
    const elsewhere = await store.acquire('s', 'me', 1000);
    await refuses('RUN_LEASED', () => store.append(batchOf('r', 2)));
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 2), elsewhere));
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 2), { ...lease, token: 'guess' }));
    await refuses('LEASE_LOST', () => store.append(batchOf('never', 1), { ...lease, runId: 'never' }));
    await store.append(batchOf('r', 2), lease);
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 2), lease));
    same(await store.read('r'), batchOf('r', 1, { count: 2 }).records);
    assert.equal(await store.run('never'), undefined);
  },

  'end when they expire, and not before': async ({ store, pass }) => {
    const first = await store.acquire('r', 'a', 1000);
    pass(999);
    await refuses('RUN_LEASED', () => store.acquire('r', 'b', 1000));
    pass(1);
    const second = await store.acquire('r', 'b', 1000);
    assert.notEqual(second.token, first.token);
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 1), first));
    await refuses('LEASE_LOST', () => store.renew(first, 1000));
    await store.release(first);
    await refuses('RUN_LEASED', () => store.acquire('r', 'c', 1000));
    await store.append(batchOf('r', 1), second);
  },

  'stay valid after their expiry, until another holder takes the run': async ({ store, pass, now }) => {
    const lease = await store.acquire('r', 'a', 1000);
    pass(5000);
    await store.append(batchOf('r', 1), lease);
    const listed = await store.run('r');
    assert.equal(listed?.lease, undefined);
    if (listed?.lapsed) same(listed.lapsed, lease);
    const again = await store.renew(lease, 1000);
    assert.equal(again.expiresAt, now() + 1000);
    await refuses('RUN_LEASED', () => store.acquire('r', 'b', 1000));
  },

  'let a caller without one append after they expired': async ({ store, pass }) => {
    const lease = await store.acquire('r', 'a', 1000);
    pass(1000);
    await store.append(batchOf('r', 1));
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 1), lease));
  },

  'expire later when they are renewed': async ({ store, pass, now }) => {
    const lease = await store.acquire('r', 'a', 1000);
    pass(900);
    const renewed = await store.renew(lease, 3000);
    assert.equal(renewed.token, lease.token);
    assert.equal(renewed.holder, 'a');
    assert.equal(renewed.expiresAt, now() + 3000);
    pass(2999);
    await refuses('RUN_LEASED', () => store.acquire('r', 'b', 1000));
    await store.append(batchOf('r', 1), lease);
    await store.append(batchOf('r', 2), renewed);
    const listed = await store.run('r');
    same(listed?.lease, renewed);
    assert.equal(listed?.lapsed, undefined);
  },

  'are lost when they are released': async ({ store }) => {
    const lease = await store.acquire('r', 'a', 1000);
    await store.release(lease);
    await store.release(lease);
    await refuses('LEASE_LOST', () => store.append(batchOf('r', 1), lease));
    await refuses('LEASE_LOST', () => store.renew(lease, 1000));
    await store.append(batchOf('r', 1));
    await store.acquire('r', 'b', 1000);
    await store.release(lease);
    await refuses('RUN_LEASED', () => store.append(batchOf('r', 2)));
  },

  'exclude others for their duration at most, even if the clock is set back': async ({ store, pass }) => {
    await store.acquire('r', 'a', 1000);
    pass(-3_600_000);
    await refuses('RUN_LEASED', () => store.acquire('r', 'b', 1000));
    pass(999);
    await refuses('RUN_LEASED', () => store.acquire('r', 'b', 1000));
    pass(1);
    await store.acquire('r', 'b', 1000);
  },

  'need a finite duration above 0': async ({ store }) => {
    const lease = await store.acquire('r', 'a', 1000);
    for (const ms of [0, -1, Number.NaN, Infinity]) {
      await refuses('STORE_MISUSED', () => store.acquire('s', 'a', ms));
      await refuses('STORE_MISUSED', () => store.renew(lease, ms));
    }
    await store.acquire('s', 'a', 1);
  },
};
