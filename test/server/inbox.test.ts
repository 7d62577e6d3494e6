/** The inbox of the dashboard: pending items, answers, and their results. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, human, phase, resumeRun, startRun, task, readRun } from '../../src/index.ts';
import { itemDetail, type InboxItem } from '../../src/inbox.ts';
import type { RunStore } from '../../src/store.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { ownStore, served, until } from './rig.ts';

const APPROVE = { type: 'decide', decision: 'APPROVE' } as const;

const pipeline = definePipeline({
  name: 'asks',
  phases: [
    phase('draft', {
      tasks: [task('text', { run: () => 'a draft' })],
      review: { by: human({ question: 'Is it good?' }) },
    }),
  ],
});

describe('the inbox', () => {
  it('lists pending items with their runs, and on request closed ones and those of one run', async () => {
    const { get, store } = await served();
    const one = await waiting(store);
    const other = await waiting(store);
    expect(await get('/api/inbox')).toEqual({ status: 200, body: { items: [one, other] } });
    expect(await get(`/api/inbox?run=${other.runId}`)).toEqual({ status: 200, body: { items: [other] } });
    expect(await get('/api/inbox?run=none')).toEqual({ status: 200, body: { items: [] } });

    const run = await resumeRun(store, one.runId, pipeline, { attended: true });
    await run.answer(one.id, APPROVE, { by: 'grace' });
    await run.result;
    expect(await get('/api/inbox')).toEqual({ status: 200, body: { items: [other] } });
    expect(await get('/api/inbox?all=1')).toMatchObject({ body: { items: [{ id: one.id, who: 'grace' }, other] } });
  });

  it('gives all details of an item', async () => {
    const { get, store } = await served();
    const item = await waiting(store);
    const { status, body } = await get(`/api/inbox/${item.id}`);
    expect(status).toBe(200);
    const { changes: _, ...expected } = itemDetail(await readRun(store, item.runId), item);
    expect(body).toEqual({ ...plain(expected), mayAnswer: true, run: (await get(`/api/runs/${item.runId}`)).body });
    expect(body).toMatchObject({ item, run: { standing: 'waiting', worker: null, actions: ['cancel'] } });
  });
});

describe('an answer', () => {
  it('is applied by the process of the run, in the name of the user', async () => {
    const { post, get, store } = await served({ user: 'ada' });
    const run = startRun(pipeline, { store, attended: true });
    const item = await itemOf(store, run.id);
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toEqual({
      status: 200,
      body: { state: 'taken', outcome: 'APPROVE' },
    });
    expect((await run.result).status).toBe('completed');
    expect(await store.item(item.id)).toMatchObject({ who: 'ada' });

    // The item is closed, and names the author.
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'ANSWERED',
          message: `Cannot answer item ${item.id} as it is closed: APPROVE, by ada`,
        },
      },
    });
    expect(await get(`/api/inbox/${item.id}`)).toMatchObject({
      body: { item: { outcome: 'APPROVE', who: 'ada' } },
    });
  });

  it('is reported as pending if the dashboard closes before a process has applied it', async () => {
    const { dashboard, post, store } = await served();
    const item = await waiting(store);
    await store.acquire(item.runId, 'somebody', 60_000);
    const told = post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE });
    await until(async () => (await store.messages(item.runId)).length > 0);
    await dashboard.close();
    expect(await told).toEqual({ status: 200, body: { state: 'waiting' } });
  });

  it('is stored if the run has no process and cannot be resumed from here', async () => {
    const { post, get, store } = await served({ user: 'ada' });
    const item = await waiting(store);
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toEqual({
      status: 200,
      body: { state: 'kept' },
    });
    expect(await get('/api/inbox')).toMatchObject({ body: { items: [{ id: item.id, answer: { by: 'ada' } }] } });
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toEqual({
      status: 409,
      body: {
        error: {
          code: 'ANSWERED',
          message: `Cannot answer item ${item.id} as it has an answer already, by ada`,
          hint: 'An item takes one answer, which is applied when the run continues: resume the run if no process works on it.',
        },
      },
    });
    const run = await resumeRun(store, item.runId, pipeline, { attended: true });
    expect((await run.result).status).toBe('completed');
  });

  it('resumes a run without a process', async () => {
    const { store } = await ownStore();
    const { post } = await served({ store, actions: resumingActions(store) });
    const item = await waiting(store);
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toEqual({
      status: 200,
      body: { state: 'resumed' },
    });
    await until(async () => (await store.run(item.runId))?.status === 'completed');
  });

  it('is stored if the run cannot resume, and the reason is reported', async () => {
    const fail = () => Promise.reject(new PhasegateError('FILE_UNREADABLE', 'Cannot load it', { hint: 'Repair it.' }));
    const { post, store } = await served({ actions: { resume: fail, retry: fail } });
    const item = await waiting(store);
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toEqual({
      status: 200,
      body: {
        state: 'kept',
        problem: { code: 'FILE_UNREADABLE', message: 'Cannot load it', hint: 'Repair it.' },
      },
    });
    expect(await store.messages(item.runId)).toMatchObject([{ kind: 'answer', item: item.id }]);
  });

  it('waits if the process of the run does not apply it at once', async () => {
    const { post, get, store } = await served();
    const item = await waiting(store);
    const lease = await store.acquire(item.runId, 'a slow process', 60_000);
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toEqual({
      status: 200,
      body: { state: 'waiting' },
    });
    expect(await get(`/api/inbox/${item.id}`)).toMatchObject({
      body: { item: { answer: { by: 'dashboard' } }, run: { worker: 'a slow process' } },
    });
    await store.release(lease);
  });

  it('is applied by another process that resumes the run first', async () => {
    const { store } = await ownStore();
    // This error is that of a `resume` after another process was faster.
    const resume = async ({ runId }: { readonly runId: string }) => {
      const run = await resumeRun(store, runId, pipeline, { attended: true });
      void run.result;
      throw new PhasegateError('RUN_LEASED', 'Cannot acquire it');
    };
    const { post } = await served({ store, actions: { resume, retry: resume } });
    const item = await waiting(store);
    expect(await post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })).toMatchObject({
      status: 200,
      body: { state: 'taken' },
    });
  });

  it('is unique: of several at once, the others learn who was faster', async () => {
    const { store } = await ownStore();
    const people = await Promise.all(['ada', 'grace', 'alan', 'edsger'].map((user) => served({ store, user })));
    for (let round = 0; round < 5; round += 1) {
      const item = await waiting(store);
      const answers = await Promise.all(
        people.map(({ post }) => post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: APPROVE })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const [message, ...more] = await store.messages(item.runId);
      expect(more).toEqual([]);
      const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body);
      expect(refused).toHaveLength(3);
      for (const body of refused)
        expect(body).toMatchObject({
          error: {
            code: 'ANSWERED',
            message: `Cannot answer item ${item.id} as it has an answer already, by ${message?.by}`,
          },
        });
    }
  });

  it('that is invalid, or to another question, changes nothing', async () => {
    const { post, store } = await served();
    const item = await waiting(store);
    const path = `/api/inbox/${item.id}/answer`;
    const give = async (nonce: string, reply: unknown) => await post(path, { nonce, reply });
    expect(await give('000000000000', APPROVE)).toMatchObject({
      status: 409,
      body: { error: { code: 'ANSWER_STALE' } },
    });
    expect(await give('', APPROVE)).toMatchObject({ status: 409, body: { error: { code: 'ANSWER_STALE' } } });
    expect(await give(item.nonce, { type: 'value', value: 1 })).toMatchObject({
      status: 400,
      body: { error: { code: 'ANSWER_INVALID', message: `Cannot answer item ${item.id} as it asks for a decision` } },
    });
    expect(await give(item.nonce, { type: 'decide', decision: 'PERHAPS' })).toMatchObject({
      status: 400,
      body: { error: { code: 'DECISION_INVALID' } },
    });
    expect(await give(item.nonce, { type: 'decide', decision: 'RETRY_PREDECESSOR nowhere: x' })).toMatchObject({
      status: 400,
    });
    expect(await store.messages(item.runId)).toEqual([]);
    expect(await store.inbox({ open: true })).toEqual([item]);
  });

  it('that the run refuses is reported as refused, and the item is asked again', async () => {
    const { post, store } = await served();
    const asks = definePipeline({
      name: 'number',
      phases: [phase('a', { tasks: [task('t', { run: human({ question: 'How many?', schema: z.number() }) })] })],
    });
    const run = startRun(asks, { store, attended: true });
    const item = await itemOf(store, run.id);
    const given = await post(`/api/inbox/${item.id}/answer`, {
      nonce: item.nonce,
      reply: { type: 'value', value: 'x' },
    });
    expect(given).toMatchObject({
      status: 200,
      body: { state: 'taken', outcome: expect.stringMatching(/^refused/u) as string },
    });
    const anew = await itemOf(store, run.id);
    expect(anew.id).not.toBe(item.id);
    await post(`/api/inbox/${anew.id}/answer`, { nonce: anew.nonce, reply: { type: 'value', value: 3 } });
    expect((await run.result).outputs).toEqual({ a: { t: 3 } });
  });
});

// --- internal ---

function plain(value: unknown): object {
  return JSON.parse(JSON.stringify(value)) as object;
}

/** Waits for the pending item of a run. */
async function itemOf(store: RunStore, runId: string): Promise<InboxItem> {
  await until(async () => (await store.inbox({ runId, open: true })).length === 1);
  const [item] = await store.inbox({ runId, open: true });
  if (!item) throw new Error('It is gone');
  return item;
}

/** Leaves a run that waits for a person. @returns Its item. */
async function waiting(store: RunStore): Promise<InboxItem> {
  const run = startRun(pipeline, { store, attended: true });
  const item = await itemOf(store, run.id);
  run.suspend();
  await run.result;
  return item;
}

/** Returns actions that resume runs in this process. */
function resumingActions(store: RunStore) {
  const resume = async ({ runId }: { readonly runId: string }) => {
    await resumeRun(store, runId, pipeline, { attended: true });
  };
  return { resume, retry: resume };
}
