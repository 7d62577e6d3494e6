/**
 * Cases: items of the inbox.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { batchOf, openItem, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const inboxCases: Readonly<Record<string, CaseBody>> = {
  'list items, oldest first': async ({ store }) => {
    const late = openItem('r', 1, { openedAt: 30 });
    const early = openItem('r', 2, { openedAt: 10 });
    const middle = openItem('s', 1, { openedAt: 20, task: 'ask', dueAt: 99, severity: 'urgent', queue: 'law' });
    await store.append(batchOf('r', 1, { count: 2, items: [late, early] }));
    await store.append(batchOf('s', 1, { items: [middle] }));
    same(await store.inbox(), [early, middle, late]);
    same(await store.inbox({}), [early, middle, late]);
    same(await store.inbox({ runId: 's' }), [middle]);
    same(await store.inbox({ runId: 't' }), []);
    same(await store.item('s:1'), middle);
    assert.equal(await store.item('s:2'), undefined);
  },

  'distinguish open items from closed ones': async ({ store }) => {
    const one = openItem('r', 1);
    const two = openItem('r', 2);
    const closed = { ...one, closedAt: 0, outcome: 'approve' };
    await store.append(batchOf('r', 1, { count: 2, items: [one, two] }));
    await store.append(batchOf('s', 1, { items: [openItem('s', 1)] }));
    same(await store.inbox({ open: true }), [one, openItem('s', 1), two]);
    same(await store.inbox({ open: false }), []);
    await store.append(batchOf('r', 3, { items: [closed] }));
    same(await store.inbox({ open: true }), [openItem('s', 1), two]);
    same(await store.inbox({ open: false }), [closed]);
    same(await store.inbox({ open: true, runId: 'r' }), [two]);
    same(await store.inbox({ open: false, runId: 's' }), []);
    same(await store.inbox({ runId: 'r' }), [closed, two]);
    same(await store.item('r:1'), closed);
  },

  'store an item that is opened and closed in one batch': async ({ store }) => {
    const closed = openItem('r', 1, { closedAt: 5, outcome: 'cancelled' });
    await store.append(batchOf('r', 1, { items: [closed] }));
    same(await store.inbox({ open: true }), []);
    same(await store.item('r:1'), closed);
  },
};
