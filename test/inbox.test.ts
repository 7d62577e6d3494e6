import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  resumeRun,
  retry,
  startRun,
  task,
  type Pipeline,
  type Run,
  memoryStore,
  readRun,
} from '../src/index.ts';
import { answerItem, type InboxItem, type Reply } from '../src/inbox.ts';
import type { RunStore } from '../src/store.ts';
import { detailOf } from '../src/store/pending-answers.ts';
import { idle } from './rig.ts';

/** A pipeline whose `draft` waits for a person at once. `print` needs it, `else` does not. */
function letter(): Pipeline<unknown> {
  return definePipeline({
    name: 'letter',
    phases: [
      phase('notes', { tasks: [task('n', { run: () => 'notes' })] }),
      phase('draft', {
        after: ['notes'],
        tasks: [
          task('text', {
            output: z.string().transform((text) => text.trim()),
            run: ({ attempt }) => `text ${attempt}`,
          }),
          task('title', { run: () => 'title' }),
        ],
        review: ({ attempt }) => (attempt === 0 ? escalate('Is it good?') : approve()),
      }),
      phase('print', { after: ['draft'], tasks: [task('p', { run: ({ inputs }) => inputs['draft'] ?? null })] }),
      phase('else', { tasks: [task('e', { run: () => 1 })] }),
    ],
  });
}

/** A pipeline of two phases that wait for a person. */
function twoLetters(): Pipeline<unknown> {
  const one = (name: string) =>
    phase(name, {
      tasks: [task('text', { run: () => 'text' })],
      review: ({ attempt }) => (attempt === 0 ? escalate('Well?') : approve()),
    });
  return definePipeline({ name: 'two', phases: [one('draft'), one('other')] });
}

const edit: Reply = { type: 'decide', decision: 'APPROVE', outputs: { text: '  better ' } };

describe('an answer', () => {
  it('may replace the outputs of the attempt, as their schemas return them', async () => {
    const { run, store, item } = await waiting();
    await run.answer(item.id, edit, { by: 'ada', nonce: item.nonce });
    const { status, outputs } = await run.result;
    expect(status).toBe('completed');
    expect(outputs).toMatchObject({ draft: { text: 'better', title: 'title' }, print: { p: { text: 'better' } } });
    const decided = (await readRun(store, run.id)).flatMap(({ event }) =>
      event.type === 'review.decided' && event.by === 'person' ? event : [],
    );
    expect(decided).toMatchObject([{ verdict: approve(), who: 'ada', edited: { text: 'better' } }]);
    expect(await store.item(item.id)).toMatchObject({ outcome: 'approved with edits: text', who: 'ada' });
    // The closed item shows the committed outputs next to those of the attempt.
    const closed = (await store.item(item.id)) ?? item;
    const [attempt] = (await detailOf(store, closed)).attempts;
    expect(attempt).toMatchObject({ outputs: { text: 'better', title: 'title' }, replaced: { text: 'text 0' } });
  });

  it.each<[string, unknown]>([
    ['outputs that a schema refuses', { ...edit, outputs: { text: 1 } }],
    ['outputs of a task that there is not', { ...edit, outputs: { nothing: '' } }],
    ['outputs that are no JSON', { ...edit, outputs: { title: () => 1 } }],
    ['outputs with a rejection', { ...edit, decision: 'REJECT: no' }],
    ['a value', { type: 'value', value: 1 }],
    ['nothing', undefined],
    ['text', 'APPROVE'],
    ['an approval with more', { type: 'decide', decision: 'APPROVE', extra: 1 }],
    ['an unknown kind', { type: 'approve' }],
  ])('with %s is refused, and the item stays open', async (_, reply) => {
    const { run, store, item } = await waiting();
    await expect(run.answer(item.id, reply as Reply)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect(await store.item(item.id)).toEqual(item);
    expect(run.inbox()).toEqual([item]);
    run.cancel();
    await run.result;
  });

  it.each(['', '   ', 'ok', 'ESCALATE: no', 'RETRY_PREDECESSOR print: x'])('with %j is refused', async (decision) => {
    const { run, item } = await waiting();
    await expect(run.answer(item.id, { type: 'decide', decision })).rejects.toMatchObject({
      code: expect.stringMatching(/^DECISION_/u) as string,
    });
    expect(run.inbox()).toEqual([item]);
    run.cancel();
    await run.result;
  });

  it('may skip the phase and its dependents; the others continue', async () => {
    const { run, store, item } = await waiting();
    await run.answer(item.id, { type: 'skip', reason: 'not this year' }, { by: 'ada' });
    const { status, phases } = await run.result;
    expect(status).toBe('completed');
    expect(Object.entries(phases).map(([name, one]) => [name, one.status, one.reason])).toEqual([
      ['notes', 'approved', null],
      ['draft', 'skipped', 'not this year'],
      ['print', 'skipped', 'draft'],
      ['else', 'approved', null],
    ]);
    expect(await store.item(item.id)).toMatchObject({ outcome: 'skipped: not this year', who: 'ada' });
  });

  it('may send back an earlier phase, and end the run', async () => {
    const one = await waiting();
    await one.run.answer(one.item.id, { type: 'decide', decision: 'RETRY_PREDECESSOR notes: more' });
    const again = await itemOf(one.run);
    expect(again).toMatchObject({ about: 'draft', attempt: 0 });
    expect(again.id).not.toBe(one.item.id);
    await one.run.answer(again.id, { type: 'abort', reason: 'enough' });
    expect(await one.run.result).toMatchObject({ status: 'cancelled', reason: 'enough' });
  });

  it.each<[string, Reply]>([
    ['edits', edit],
    ['skips', { type: 'skip' }],
    ['retries', { type: 'decide', decision: retry('more') }],
  ])('that %s is replayed when the run is resumed', async (_, reply) => {
    const store = memoryStore();
    const run = startRun(twoLetters(), { store });
    const [first, second] = await until(() => (run.inbox().length === 2 ? run.inbox() : undefined));
    await run.answer(first?.id ?? '', reply);
    run.suspend();
    await run.result;
    const again = await resumeRun(store, run.id, twoLetters());
    await again.answer(second?.id ?? '', { type: 'decide', decision: 'APPROVE' });
    const { status, phases } = await again.result;
    expect({ status, other: phases['other']?.status }).toEqual({ status: 'completed', other: 'approved' });
  });
});

describe('answerItem()', () => {
  it('reaches the process of the run', async () => {
    const { run, store, item } = await waiting();
    await answerItem(store, item.id, edit, { nonce: item.nonce, by: 'bob' });
    expect((await run.result).outputs).toMatchObject({ draft: { text: 'better' } });
    expect(await store.item(item.id)).toMatchObject({ who: 'bob' });
  });

  it('stores an answer, which the run applies on resume if it has no process', async () => {
    const { run, store, item } = await waiting();
    run.suspend();
    await run.result;
    await answerItem(store, item.id, edit);
    await expect(answerItem(store, item.id, edit)).rejects.toMatchObject({ code: 'ANSWERED' });
    const again = await resumeRun(store, run.id, letter());
    expect((await again.result).outputs).toMatchObject({ draft: { text: 'better' } });
    await expect(answerItem(store, item.id, edit)).rejects.toMatchObject({ code: 'ANSWERED' });
  });

  it('refuses an invalid answer before it is stored', async () => {
    const { run, store, item } = await waiting();
    const given = (reply: unknown, how = {}) => answerItem(store, item.id, reply as Reply, how);
    await expect(answerItem(store, 'nobody:1', edit)).rejects.toMatchObject({ code: 'ITEM_UNKNOWN' });
    await expect(given(edit, { nonce: 'x' })).rejects.toMatchObject({ code: 'ANSWER_STALE' });
    await expect(given({ type: 'value', value: 1 })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(given({ type: 'decide', decision: 'hm' })).rejects.toMatchObject({ code: 'DECISION_INVALID' });
    await expect(given({ type: 'decide', decision: 'RETRY_PREDECESSOR else: x' })).rejects.toMatchObject({
      code: 'DECISION_TARGET_INVALID',
    });
    expect(await store.messages(run.id)).toEqual([]);
    run.cancel();
    await run.result;
  });

  it('reopens the item if only the run can tell that the answer is invalid', async () => {
    const { run, store, item } = await waiting();
    await answerItem(store, item.id, { ...edit, outputs: { text: 1 } }, { by: 'bob' });
    const next = await until(() => run.inbox().find(({ id }) => id !== item.id));
    expect(next).toMatchObject({ kind: 'escalation', about: 'draft', reason: 'Is it good?' });
    expect(next.nonce).not.toBe(item.nonce);
    expect(await store.item(item.id)).toMatchObject({
      who: 'bob',
      outcome: expect.stringMatching(
        /refused: Cannot answer item .* as the schema of "text" refuses it: .*expected string, received number/u,
      ) as string,
    });
    await expect(answerItem(store, item.id, edit)).rejects.toMatchObject({ code: 'ANSWERED' });
    // The refusal is replayed as well.
    run.suspend();
    await run.result;
    const again = await resumeRun(store, run.id, letter());
    expect(again.inbox()).toEqual([next]);
    await answerItem(store, next.id, edit, { nonce: next.nonce });
    expect((await again.result).status).toBe('completed');
  });

  it('ignores a forged message', async () => {
    const { run, store, item } = await waiting();
    await store.post({ runId: run.id, kind: 'answer', item: item.id, body: 'APPROVE', by: 'eve', time: 0 });
    const next = await until(() => run.inbox().find(({ id }) => id !== item.id));
    expect(next).toMatchObject({ about: 'draft' });
    run.cancel();
    await run.result;
  });
});

// --- internal ---

interface Waiting {
  readonly run: Run<unknown>;
  readonly store: RunStore;
  readonly item: InboxItem;
}

/** Starts a run that waits for a person. */
async function waiting(): Promise<Waiting> {
  const store = memoryStore();
  const run = startRun(letter(), { store, runId: 'r' });
  const item = await itemOf(run);
  return { run, store, item };
}

async function itemOf(run: Run<unknown>): Promise<InboxItem> {
  const item = await until(() => run.inbox()[0]);
  expect(run.inbox()).toHaveLength(1);
  return item;
}

async function until<T>(get: () => T | undefined): Promise<T> {
  for (;;) {
    const value = get();
    if (value !== undefined) return value;
    await idle();
  }
}
