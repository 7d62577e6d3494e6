/**
 * Cases: a store that something else has changed. It never gives another content in silence, and one damaged run harms no other.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { packRecord } from '../../model/events/large-values.ts';
import { readRun } from '../../store/read-run.ts';
import { answerTo, batchOf, openItem, recordOf, refuses, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const damageCases: Readonly<Record<string, CaseBody>> = {
  'refuses a changed record, and reads those before and after it': async ({ store, damage }) => {
    const good = batchOf('r', 1, { count: 9 }).records;
    await store.append(batchOf('r', 1, { count: 9 }));
    await store.append(batchOf('s', 1, { count: 9 }));
    await damage('"r","seq":5,"time":1005', '"r","seq":5,"time":1006');
    await refuses('STORE_UNREADABLE', () => store.read('r'));
    await refuses('STORE_UNREADABLE', () => store.read('r', 5, 1));
    same(await store.read('r', 1, 4), good.slice(0, 4));
    same(await store.read('r', 6), good.slice(5));
    assert.equal((await store.read('s')).length, 9);
  },

  'refuses a record in the place of another one': async ({ store, damage }) => {
    await store.append({ ...batchOf('r', 1, { count: 2 }), records: [recordOf('r', 1, 'x'), recordOf('r', 2, 'x')] });
    await damage('"seq":2,"time":1002', '"seq":1,"time":1001');
    await refuses('STORE_UNREADABLE', () => store.read('r', 2));
    assert.equal((await store.read('r', 1, 1)).length, 1);
  },

  'lists a changed run as damaged, and the others as they are': async ({ store, damage }) => {
    for (const run of ['a', 'b', 'c']) await store.append(batchOf(run, 1));
    const before = await store.runs();
    await damage('"b","pipeline":"article","fingerprint":"f00d"', '"b","pipeline":"article","fingerprint":"f00e"');
    const after = await store.runs();
    same(
      after.map(({ runId, pipeline, status, seq, startedAt }) => ({ runId, pipeline, status, seq, startedAt })),
      before.map(({ runId, pipeline, status, seq, startedAt }) => ({ runId, pipeline, status, seq, startedAt })),
    );
    same(
      after.map(({ damage: found }) => found !== undefined),
      [false, true, false],
    );
    same(
      after.filter((run) => run.damage === undefined),
      before.filter(({ runId }) => runId !== 'b'),
    );
    assert.ok((await store.run('b'))?.damage !== undefined);
    assert.equal((await store.run('a'))?.damage, undefined);
    assert.equal((await store.read('b')).length, 1);
    assert.equal(await store.remove('b'), true);
  },

  'lists a changed item with the damage as its reason, and takes no answer to it': async ({ store, damage }) => {
    for (const run of ['a', 'b']) await store.append(batchOf(run, 1, { items: [openItem(run, 1)] }));
    const [good] = await store.inbox({ runId: 'a' });
    await damage('"b:1","runId":"b","seq":1,"pipeline":"article","kind":"escalation"', ITEM_DAMAGED);
    const items = await store.inbox({ open: true });
    same(
      items.map(({ id, runId }) => [id, runId]),
      [
        ['a:1', 'a'],
        ['b:1', 'b'],
      ],
    );
    same(items[0], good);
    assert.match(items[1]?.reason ?? '', /b:1/u);
    assert.equal(items[1]?.because, 'STORE_UNREADABLE');
    await refuses('STORE_UNREADABLE', () => store.item('b:1'));
    await refuses('STORE_UNREADABLE', () => store.post(answerTo('b', 'b:1')));
    await store.post(answerTo('a', 'a:1'));
  },

  'refuses a changed message': async ({ store, damage }) => {
    for (const run of ['a', 'b']) {
      await store.append(batchOf(run, 1, { items: [openItem(run, 1)] }));
      await store.post(answerTo(run, `${run}:1`, { body: { type: 'approve', note: `${run} good` } }));
    }
    await damage('b good', 'b evil');
    await refuses('STORE_UNREADABLE', () => store.messages('b'));
    assert.equal((await store.messages('a')).length, 1);
  },

  'leaves out a changed memory': async ({ store, damage }) => {
    if (!store.memories) return;
    const memory = { scope: 's', pipeline: 'article', phase: 'draft', runId: 'r', seq: 1, time: 1 };
    const memories = ['use tables', 'use colour'].map((text) => ({ ...memory, text }));
    await store.append(batchOf('r', 1, { memories }));
    await damage('use tables', 'rm -rf all');
    same(
      (await store.memories()).map(({ text }) => text),
      ['use colour'],
    );
  },

  'does not give out a changed artifact': async ({ store, damage }) => {
    const output = `begin ${'large '.repeat(5000)}`;
    const event = { type: 'task.completed', phase: 'a', generation: 1, attempt: 1, task: 't', try: 1, output } as const;
    const { record, artifacts } = packRecord({ ...recordOf('r', 1), event });
    await store.append({ ...batchOf('r', 1, { artifacts }), records: [record] });
    same(await readRun(store, 'r'), [{ ...record, event }]);
    await damage('begin large', 'begun large');
    await refuses('STORE_UNREADABLE', () => readRun(store, 'r'));
  },

  'replaces a changed artifact once a run is appended that has it': async ({ store, damage }) => {
    const output = `begin ${'large '.repeat(5000)}`;
    const event = { type: 'task.completed', phase: 'a', generation: 1, attempt: 1, task: 't', try: 1, output } as const;
    const append = async (runId: string) => {
      const { record, artifacts } = packRecord({ ...recordOf(runId, 1), event });
      await store.append({ ...batchOf(runId, 1, { artifacts }), records: [record] });
    };
    await append('r');
    await damage('begin large', 'begun large');
    await append('s');
    for (const runId of ['r', 's']) same(await readRun(store, runId), [{ ...recordOf(runId, 1), event }]);
  },
};

// --- internal ---

const ITEM_DAMAGED = '"b:1","runId":"b","seq":1,"pipeline":"article","kind":"escalatiom"';
