/**
 * Cases: messages to runs, with one answer for each item.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { RunStore } from '../../store/port.ts';
import { answerTo, batchOf, openItem, refuses, same, spoil, successes, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const messageCases: Readonly<Record<string, CaseBody>> = {
  'store messages, in order': async ({ store }) => {
    await waiting(store);
    const cancel = { runId: 'r', kind: 'cancel', body: { why: 'late' }, by: 'bob', time: 1 } as const;
    for (const message of [cancel, answerTo('r', 'r:1'), cancel, { ...cancel, runId: 's', body: null }])
      await store.post(message);
    const [first, second, third, ...more] = await store.messages('r');
    assert.ok(first && second && third && more.length === 0);
    assert.ok(first.id > 0 && second.id > first.id && third.id > second.id);
    same(
      [first, second, third],
      [
        { ...cancel, id: first.id },
        { ...answerTo('r', 'r:1'), id: second.id },
        { ...cancel, id: third.id },
      ],
    );
    same(await store.messages('r', 0), [first, second, third]);
    same(await store.messages('r', first.id), [second, third]);
    same(await store.messages('r', third.id), []);
    assert.equal((await store.messages('s')).length, 1);
  },

  'return the place of the latest message': async ({ store }) => {
    if (!store.lastMessage) return;
    assert.equal(await store.lastMessage(), 0);
    await waiting(store);
    await store.post(answerTo('r', 'r:1'));
    await store.post(answerTo('s', 's:1'));
    const [last] = await store.messages('s');
    assert.equal(await store.lastMessage(), last?.id);
    await store.remove('s');
    assert.equal(await store.lastMessage(), last?.id);
    await store.post(answerTo('r', 'r:2'));
    assert.equal(await store.lastMessage(), (await store.messages('r')).at(-1)?.id);
  },

  'accept one answer for an item': async ({ store }) => {
    await waiting(store);
    await store.post(answerTo('r', 'r:1', { by: 'ada' }));
    await refuses('ANSWERED', () => store.post(answerTo('r', 'r:1', { by: 'bob' })));
    await store.post(answerTo('r', 'r:2'));
    await store.post(answerTo('s', 's:1'));
    assert.deepEqual(
      (await store.messages('r')).map(({ by, item }) => [by, item]),
      [
        ['ada', 'r:1'],
        ['ada', 'r:2'],
      ],
    );
  },

  'accept one of several concurrent answers': async ({ store }) => {
    await waiting(store);
    const calls = ['a', 'b', 'c'].map((by) => () => store.post(answerTo('r', 'r:1', { by })));
    assert.equal(await successes('ANSWERED', calls), 1);
    assert.equal((await store.messages('r')).length, 1);
  },

  'refuse an answer to a closed item': async ({ store }) => {
    await waiting(store);
    await store.append(batchOf('r', 3, { items: [openItem('r', 1, { closedAt: 7, outcome: 'approve' })] }));
    await refuses('ANSWERED', () => store.post(answerTo('r', 'r:1')));
    same(await store.messages('r'), []);
  },

  'remember the answer to an item when it is stored again': async ({ store }) => {
    await waiting(store);
    await store.post(answerTo('r', 'r:1'));
    await store.append(batchOf('r', 3, { items: [openItem('r', 1, { severity: 'urgent' })] }));
    await refuses('ANSWERED', () => store.post(answerTo('r', 'r:1')));
  },

  'refuse messages that no run can apply': async ({ store }) => {
    await waiting(store);
    await refuses('ITEM_UNKNOWN', () => store.post(answerTo('r', 'r:9')));
    await refuses('ITEM_UNKNOWN', () => store.post(answerTo('r', 's:1')));
    await refuses('RUN_UNKNOWN', () => store.post(answerTo('t', 'r:1')));
    await store.acquire('claimed', 'me', 1000);
    await refuses('RUN_UNKNOWN', () => store.post(answerTo('claimed', 'x', { kind: 'cancel' })));
    await refuses('STORE_MISUSED', () => store.post(answerTo('r', 'r:1', { item: undefined })));
    await refuses('STORE_MISUSED', () => store.post(answerTo('r', 'r:1', { body: { when: new Date(0) } })));
    same(await store.messages('r'), []);
    await store.post(answerTo('r', 'r:1'));
  },

  'are accepted while any process works on the run': async ({ store }) => {
    await waiting(store);
    await store.acquire('r', 'me', 1000);
    await store.post(answerTo('r', 'r:1'));
    assert.equal((await store.messages('r')).length, 1);
  },

  'store a copy of a message, so later changes do not affect it': async ({ store }) => {
    await waiting(store);
    const message = structuredClone(answerTo('r', 'r:1'));
    await store.post(message);
    spoil(message);
    const [kept] = await store.messages('r');
    same(kept, { ...answerTo('r', 'r:1'), id: kept?.id });
  },
};

// --- internal ---

/** Stores two runs with open items: one with two, the other with one. */
async function waiting(store: RunStore): Promise<void> {
  await store.append(batchOf('r', 1, { count: 2, items: [openItem('r', 1), openItem('r', 2)] }));
  await store.append(batchOf('s', 1, { items: [openItem('s', 1)] }));
}
