/**
 * Cases: appended records are stored, and refused batches leave no trace.
 *
 * @module
 */
import assert from 'node:assert/strict';
import {
  batchOf,
  infoOf,
  openItem,
  pictureOf,
  recordOf,
  refuses,
  same,
  spoil,
  successes,
  type CaseBody,
} from './trial.ts';

/** Claims, with their tests. */
export const appendCases: Readonly<Record<string, CaseBody>> = {
  'stores records, in order': async ({ store }) => {
    await store.append(batchOf('r', 1, { count: 3 }));
    await store.append(batchOf('r', 4, { count: 2 }));
    same(await store.read('r'), batchOf('r', 1, { count: 5 }).records);
  },

  'returns the summary of the run': async ({ store }) => {
    await store.append(batchOf('r', 1, { info: { waiting: ['draft'], forkOf: 'q' } }));
    same(await store.run('r'), infoOf('r', 1, { waiting: ['draft'], forkOf: 'q' }));
    await store.append(batchOf('r', 2, { info: { status: 'completed', approved: 3 } }));
    same(await store.run('r'), infoOf('r', 2, { status: 'completed', approved: 3 }));
  },

  'refuses records that do not follow the last one': async ({ store }) => {
    for (const first of [2, 3]) await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', first)));
    await store.append(batchOf('r', 1, { count: 3 }));
    for (const first of [1, 2, 3, 5, 6]) await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', first)));
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 3, { count: 2 })));
    await store.append(batchOf('r', 4));
    same(await store.read('r'), batchOf('r', 1, { count: 4 }).records);
  },

  'stores nothing of a batch that it refuses': async ({ store }) => {
    await store.append(batchOf('r', 1, { items: [openItem('r', 1)] }));
    const before = await pictureOf(store, 'r');
    const closed = openItem('r', 1, { closedAt: 9, outcome: 'approve' });
    const more = {
      info: { status: 'failed' as const },
      items: [closed, openItem('r', 3)],
      artifacts: [{ hash: 'h1', content: '1' }],
    };
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 3, more)));
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('s', 2, { artifacts: more.artifacts })));
    assert.equal(await store.artifact('h1'), undefined);
    same(await pictureOf(store, 'r'), before);
    assert.equal(await store.run('s'), undefined);
  },

  'refuses inconsistent batches': async ({ store }) => {
    const good = batchOf('r', 1, { count: 2 });
    const bad = [
      { ...good, records: [] },
      { ...good, records: [recordOf('r', 1), recordOf('other', 2)] },
      { ...good, records: [recordOf('r', 1), recordOf('r', 3)], info: infoOf('r', 3) },
      { ...good, records: [recordOf('r', 2), recordOf('r', 1)] },
      { ...good, records: [recordOf('r', 0), recordOf('r', 1)], info: infoOf('r', 1) },
      { ...good, info: infoOf('other', 2) },
      { ...good, info: infoOf('r', 1) },
      { ...good, items: [openItem('other', 1)] },
    ];
    for (const batch of bad) await refuses('STORE_MISUSED', () => store.append(batch));
    assert.equal(await store.run('r'), undefined);
    same(await store.read('r'), []);
    same(await store.inbox(), []);
    await store.append(good);
  },

  'lets one of several concurrent batches win': async ({ store }) => {
    await store.append(batchOf('r', 1));
    const calls = [1, 2, 3, 4].map((count) => () => store.append(batchOf('r', 2, { count })));
    assert.equal(await successes('SEQ_CONFLICT', calls), 1);
    const kept = await store.read('r');
    same(kept, batchOf('r', 1, { count: kept.length }).records);
    assert.equal((await store.run('r'))?.seq, kept.length);
  },

  'stores a copy of a batch, so later changes do not affect it': async ({ store }) => {
    const made = () =>
      batchOf('r', 1, {
        count: 2,
        items: [openItem('r', 1)],
        artifacts: [{ hash: 'h', content: '"x"' }],
        info: { waiting: ['a'] },
      });
    const batch = structuredClone(made());
    await store.append(batch);
    const before = await pictureOf(store, 'r');
    spoil(batch);
    same(await pictureOf(store, 'r'), before);
    same(await store.read('r'), made().records);
    assert.equal(await store.artifact('h'), '"x"');
  },

  'returns copies, so changes to them do not affect it': async ({ store }) => {
    await store.append(batchOf('r', 1, { count: 2, items: [openItem('r', 1)], info: { waiting: ['a'] } }));
    await store.post({ runId: 'r', kind: 'cancel', body: { why: ['x'] }, by: 'ada', time: 1 });
    const before = await pictureOf(store, 'r');
    spoil(await store.read('r'));
    spoil(await store.run('r'));
    spoil(await store.runs());
    spoil(await store.inbox());
    spoil(await store.item('r:1'));
    spoil(await store.messages('r'));
    same(await pictureOf(store, 'r'), before);
    same(await store.read('r'), batchOf('r', 1, { count: 2 }).records);
  },

  'stores any JSON unchanged': async ({ store }) => {
    const output: unknown = JSON.parse(
      String.raw`{"__proto__": {"x": 1}, "": [], "ü": "\ud800 \u0000 \u2028 '\"\\ \ud83d\ude00", "n": [1e308, 5e-324, 0.1, 9007199254740993, -1, true, null]}`,
    );
    const record = {
      runId: 'r',
      seq: 1,
      time: 1.5,
      event: { type: 'task.completed', phase: 'a', generation: 0, attempt: 0, task: 't', try: 1, output },
    } as const;
    await store.append({ ...batchOf('r', 1), records: [record] });
    const [kept] = await store.read('r');
    assert.equal(JSON.stringify(kept), JSON.stringify(record));
  },

  'stores large batches and large records': async ({ store }) => {
    const batch = batchOf('r', 1, { count: 2000 });
    const large = recordOf('r', 2001, 'x'.repeat(1_000_000));
    await store.append({ ...batch, records: [...batch.records, large], info: infoOf('r', 2001) });
    same(await store.read('r', 1999), [...batch.records.slice(1998), large]);
  },

  'distinguishes runs, even with unusual ids': async ({ store }) => {
    for (const [index, runId] of ODD_IDS.entries())
      await store.append(batchOf(runId, 1, { info: { startedAt: index }, items: [openItem(runId, 1)] }));
    for (const runId of ODD_IDS) {
      await store.append(batchOf(runId, 2));
      same(await store.read(runId), batchOf(runId, 1, { count: 2 }).records);
      same(await store.item(`${runId}:1`), openItem(runId, 1));
      same(await store.inbox({ runId }), [openItem(runId, 1)]);
    }
    assert.equal((await store.runs()).length, ODD_IDS.length);
  },

  'refuses ids that are empty or not well-formed text': async ({ store }) => {
    for (const runId of ['', 'a\uD800', 'a\0b']) {
      await refuses('STORE_MISUSED', () => store.append(batchOf(runId, 1)));
      await refuses('STORE_MISUSED', () => store.acquire(runId, 'me', 1000));
    }
    same(await store.runs(), []);
  },
};

// --- internal ---

const ODD_IDS = [
  'r',
  'R',
  ' r',
  'r ',
  'r:1',
  'r:1:1',
  'r/..',
  '../r',
  'C:\\r',
  '%',
  '_',
  '*',
  `'"\`;--`,
  '\n',
  '😀',
  'é',
  'e\u0301',
  '__proto__',
  'constructor',
  '1',
  '01',
  '1.0',
  'null',
  'x'.repeat(2000),
];
