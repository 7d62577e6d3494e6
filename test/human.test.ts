import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  human,
  phase,
  forkRun,
  resumeRun,
  retry,
  runPipeline,
  startRun,
  task,
  type Pipeline,
  type Run,
  type TaskContext,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { InboxItem } from '../src/inbox.ts';
import { machineOf } from '../src/machines.ts';
import { answers, rehearse } from '../src/testing.ts';
import { held, idle } from './rig.ts';

/** A pipeline in which a person writes a number, and another judges it. */
function budget(): Pipeline<unknown> {
  return definePipeline({
    name: 'budget',
    phases: [
      phase('plan', {
        tasks: [task('sum', { output: z.number(), run: human({ question: 'How much?', queue: 'finance' }) })],
        review: human({ question: 'Is that all right?', severity: 'high' }),
      }),
      phase('spend', { after: ['plan'], tasks: [task('t', { run: ({ inputs }) => inputs['plan']?.['sum'] ?? null })] }),
    ],
  });
}

describe('human()', () => {
  it('is a task with an output of a person, or a reviewer with a decision of a person', async () => {
    const asked: InboxItem[] = [];
    const says = (answer: unknown) => (one: InboxItem) => (asked.push(one), answer);
    const { result, records } = await rehearse(budget(), {
      tasks: { t: ({ inputs }: TaskContext) => inputs['plan']?.['sum'] },
      people: {
        'plan.sum': [says(answers(7, { by: 'ada' })), says(5)],
        'plan.review': [says(answers('RETRY: less', { by: 'bob' })), says(approve())],
      },
    });
    const sum = { kind: 'task', about: 'plan', task: 'sum', reason: 'How much?', queue: 'finance', severity: 'normal' };
    const review = { kind: 'review', task: 'review', reason: 'Is that all right?', severity: 'high' };
    expect(asked).toMatchObject([{ ...sum, because: 'asked' }, review, { ...sum, attempt: 1 }, review]);
    const { status, outputs, phases } = result;
    expect({ status, outputs }).toEqual({ status: 'completed', outputs: { plan: { sum: 5 }, spend: { t: 5 } } });
    expect(phases['plan']?.decisions.map(({ verdict, by }) => [verdict.type, by])).toEqual([
      ['retry', 'gate'],
      ['approve', 'gate'],
    ]);
    const said = records.flatMap(({ event }) => (event.type === 'task.answered' ? [[event.answer, event.who]] : []));
    expect(said).toEqual([
      [7, 'ada'],
      [retry('less'), 'bob'],
      [5, undefined],
      [approve(), undefined],
    ]);
  });

  it('waits across restarts with the same item, which it opens once', async () => {
    const store = memoryStore();
    const first = startRun(budget(), { store, runId: 'r' });
    const before = await item(first);
    first.suspend();
    expect((await first.result).status).toBe('suspended');

    const second = await resumeRun(store, 'r', budget());
    expect(await item(second)).toEqual(before);
    await second.answer(before.id, { type: 'value', value: 3 }, { nonce: before.nonce });
    const review = await reviewed(second);
    second.suspend();
    await second.result;

    const third = await resumeRun(store, 'r', budget());
    expect(await item(third)).toEqual(review);
    await third.answer(review.id, { type: 'decide', decision: 'APPROVE' });
    expect(await third.result).toMatchObject({ status: 'completed', outputs: { spend: { t: 3 } } });
    const asked = (await readRun(store, 'r')).filter(({ event }) => event.type === 'task.asked');
    expect(asked.map(({ event }) => 'task' in event && event.task)).toEqual(['sum', 'review']);
    expect(await store.inbox({ open: true })).toEqual([]);
  });

  it('uses an answer that was stored before the task ended', async () => {
    const store = memoryStore();
    const first = startRun(budget(), { store, runId: 'r' });
    const { id } = await item(first);
    await first.answer(id, { type: 'value', value: 3 });
    await reviewed(first);
    first.suspend();
    await first.result;
    // The records are those of a process that ended between the answer and the end of the task.
    const answered = (await readRun(store, 'r')).find(({ event }) => event.type === 'task.answered');
    await forkRun(store, 'r', { at: answered?.seq ?? 0, runId: 'cut' });

    const second = await resumeRun(store, 'cut', budget());
    expect(await item(second)).toMatchObject({ kind: 'review' });
  });

  it('asks again after an invalid answer, and refuses one of the wrong kind', async () => {
    const run = startRun(budget());
    const { id } = await item(run);
    const value = (given: unknown) => run.answer(id, { type: 'value', value: given });
    await expect(value('much')).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(value(undefined)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(run.answer(id, { type: 'decide', decision: approve() })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    await expect(run.answer(id, { type: 'value', value: 1 }, { nonce: 'x' })).rejects.toMatchObject({
      code: 'ANSWER_STALE',
    });
    await expect(run.answer('nobody', { type: 'value', value: 1 })).rejects.toMatchObject({ code: 'ITEM_UNKNOWN' });
    expect((await item(run)).id).toBe(id);
    await value(1);
    await expect(value(2)).rejects.toMatchObject({ code: 'ANSWERED' });
    const review = await item(run);
    for (const decision of ['', ' ', 'fine', 'RETRY_PREDECESSOR spend: x', 'RETRY_PREDECESSOR nobody: x']) {
      await expect(run.answer(review.id, { type: 'decide', decision })).rejects.toMatchObject({
        code: expect.stringMatching(/^DECISION_/u) as string,
      });
    }
    await expect(run.answer(review.id, { type: 'value', value: 'APPROVE' })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    expect((await item(run)).id).toBe(review.id);
    run.cancel();
    await run.result;
  });

  it('takes one of two simultaneous answers', async () => {
    const store = memoryStore();
    const run = startRun(budget(), { store });
    const { id } = await item(run);
    const both = await Promise.allSettled([1, 2].map((value) => run.answer(id, { type: 'value', value })));
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    run.cancel();
    await run.result;
  });

  it('offers choices, and accepts only these', async () => {
    const choice = task('c', { run: human<string>({ question: 'Which?', choices: ['red', 'blue'] }) });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('a', { tasks: [choice] })] }));
    const { id, choices } = await item(run);
    expect(choices).toEqual(['red', 'blue']);
    await expect(run.answer(id, { type: 'value', value: 'green' })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await run.answer(id, { type: 'value', value: 'red' });
    expect((await run.result).outputs).toEqual({ a: { c: 'red' } });
  });

  it('closes its item once no task waits for the answer', async () => {
    const other = held();
    const store = memoryStore();
    const pipeline = definePipeline({
      name: 'p',
      phases: [
        phase('a', {
          tasks: [task('person', { run: human({ question: 'Well?' }) }), task('other', { run: other.script })],
        }),
      ],
    });
    const run = startRun(pipeline, { store });
    const { id } = await item(run);
    other.fail(new Error('broken'));
    expect((await run.result).status).toBe('failed');
    expect(await store.item(id)).toMatchObject({ closedAt: expect.any(Number) as number });
    await expect(run.answer(id, { type: 'value', value: 1 })).rejects.toMatchObject({ code: 'ANSWERED' });
  });

  it('fails if nobody can be asked', async () => {
    await expect(runPipeline(budget())).rejects.toMatchObject({ code: 'RUN_UNSUCCESSFUL' });
    const wrapped = task('t', { run: (context) => human<number>({ question: 'Well?' })(context) });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('a', { tasks: [wrapped] })] }));
    expect((await run.result).phases['a']?.error?.code).toBe('HUMAN_UNREACHABLE');

    const { plan, work } = budget();
    const embedded = createActor(machineOf({ work }), { input: { run: 'r', plan } });
    const errors: unknown[] = [];
    embedded.on('phase.failed', ({ error }) => errors.push(error.code));
    embedded.start();
    while (errors.length === 0) await idle();
    expect(errors).toEqual(['HUMAN_UNREACHABLE']);
    embedded.stop();
  });

  it.each([
    [{}],
    [{ question: '' }],
    [{ question: 'x', choices: [] }],
    [{ question: 'x', schema: 1 }],
    [{ question: 'x', expireAfterMs: -1 }],
    [{ question: 'x', typo: 1 }],
  ])('refuses %j', (options) => {
    expect(() => human(options as never)).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID' }));
  });
});

// --- internal ---

/** Waits for the open item. */
async function item(run: Run<unknown>): Promise<InboxItem> {
  for (;;) {
    const [first, ...others] = run.inbox();
    expect(others).toEqual([]);
    if (first) return first;
    await idle();
  }
}

/** Waits for the item of the review. */
async function reviewed(run: Run<unknown>): Promise<InboxItem> {
  for (;;) {
    const found = await item(run);
    if (found.kind === 'review') return found;
    await idle();
  }
}
