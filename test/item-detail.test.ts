import { describe, expect, it } from 'vitest';
import {
  startRun,
  definePipeline,
  escalate,
  human,
  phase,
  retry,
  retryRun,
  task,
  memoryStore,
  readRun,
} from '../src/index.ts';
import { itemDetail } from '../src/inbox.ts';
import type { Policy, Run } from '../src/index.ts';
import type { InboxItem, ItemDetail } from '../src/inbox.ts';
import type { Verdict } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { idle } from './rig.ts';

describe('itemDetail()', () => {
  it('lists attempts, requested changes, differences, and the cost', async () => {
    const { detail } = await detailOf();
    expect(detail.attempts.map(({ attempt, outputs, verdict }) => [attempt, outputs, verdict?.type])).toEqual([
      [0, { text: 'one\ntwo\n', list: [1] }, 'retry'],
      [1, { text: 'one\n2\n', list: [1] }, 'escalate'],
    ]);
    expect(detail.corrections).toEqual([
      { number: 1, attempt: 0, from: 'draft', feedback: 'figures', requiredChange: 'Use 2.' },
    ]);
    expect(Object.keys(detail.changes)).toEqual(['text']);
    expect(detail.changes['text']).toContain('\n one\n-two\n+2\n');
    expect(detail.phaseUsed).toEqual({ costUsd: 0.5, tokens: 20 });
    expect(detail.used).toMatchObject({ costUsd: 0.5, tokens: 20, attempts: 5 });
    expect(detail.limits).toEqual({ costUsd: 9 });
    expect(detail.tasks).toEqual(['text', 'list']);
    expect(detail.attempts.at(-1)?.verdicts).toEqual({ review: escalate('Well?') satisfies Verdict });
  });

  it('gives the consequences of every answer', async () => {
    const { detail } = await detailOf();
    const told = detail.choices.map(({ answer, phase: target, runs, skips, stale }) => ({
      answer,
      target,
      runs,
      skips,
      stale,
    }));
    const none = { target: undefined, runs: [], skips: [], stale: [] };
    expect(told).toEqual([
      { ...none, answer: 'approve', runs: ['print'] },
      { ...none, answer: 'edit', runs: ['print'] },
      { ...none, answer: 'retry', runs: ['draft'] },
      { ...none, answer: 'rewind', target: 'notes', runs: ['notes', 'plan', 'draft'], stale: ['index'] },
      { ...none, answer: 'rewind', target: 'plan', runs: ['plan', 'draft'] },
      { ...none, answer: 'reject', skips: ['print', 'bind'] },
      { ...none, answer: 'skip', skips: ['draft', 'print', 'bind'] },
      { ...none, answer: 'abort' },
    ]);
  });

  it.each<[Policy, Partial<ItemDetail['choices'][number]>]>([
    [{ invalidate: 'all' }, { runs: ['notes', 'plan', 'draft', 'index'], mayRun: [], stale: [] }],
    [{ invalidate: 'changed' }, { runs: ['notes', 'plan', 'draft'], mayRun: ['index'], stale: [] }],
  ])('follows %j', async (policy, expected) => {
    const { detail } = await detailOf(policy);
    expect(detail.choices.find((one) => one.phase === 'notes')).toMatchObject(expected);
  });

  it('has the requests of the gate to other phases, in order', async () => {
    const one = await detailOf();
    await one.run.answer(one.item.id, { type: 'decide', decision: 'RETRY_PREDECESSOR notes: more' });
    const item = await itemOf(one.run);
    const { corrections } = itemDetail(await readRun(one.store, one.run.id), item);
    expect(corrections.map(({ from, to, feedback }) => [from, to, feedback])).toEqual([
      ['draft', undefined, 'figures'],
      ['draft', 'notes', 'more'],
      ['draft', undefined, 'figures'],
    ]);
    one.run.cancel();
    await one.run.result;
  });

  it('numbers attempts over all generations, and names the one that asked for a change', async () => {
    const one = await detailOf();
    await one.run.answer(one.item.id, { type: 'decide', decision: 'RETRY_PREDECESSOR notes: more' });
    const item = await itemOf(one.run);
    const { attempts, corrections } = itemDetail(await readRun(one.store, one.run.id), item);
    expect(attempts.map(({ number, generation, attempt }) => [number, generation, attempt])).toEqual([
      [1, 0, 0],
      [2, 0, 1],
      [3, 0, 0],
      [4, 0, 1],
    ]);
    expect(corrections.map(({ from, to, number }) => [from, to, number])).toEqual([
      ['draft', undefined, 1],
      ['draft', 'notes', 2],
      ['draft', undefined, 3],
    ]);
    one.run.cancel();
    await one.run.result;
  });

  it('has the inputs of the phase: outputs of its predecessors at its latest start', async () => {
    const one = await detailOf();
    expect(one.detail.inputs).toEqual({ plan: { t: 1 } });
    await one.run.answer(one.item.id, { type: 'decide', decision: 'RETRY_PREDECESSOR plan: more' });
    const item = await itemOf(one.run);
    const records = await readRun(one.store, one.run.id);
    expect(itemDetail(records, item).inputs).toEqual({ plan: { t: 2 } });
    one.run.cancel();
    await one.run.result;
  });

  it('has the inputs of a person as a task, even if there is a newer version', async () => {
    const store = memoryStore();
    const pipeline = definePipeline({
      name: 'paper',
      phases: [
        phase('notes', { tasks: [task('t', { run: ({ attempt }) => `notes ${attempt}` })] }),
        phase('print', { after: ['notes'], tasks: [task('p', { run: human({ question: 'Which paper?' }) })] }),
        phase('check', {
          after: ['notes'],
          tasks: [task('t', { run: () => 1 })],
          review: ({ inputs }) =>
            inputs['notes']?.['t'] === 'notes 0' ? 'RETRY_PREDECESSOR notes: More.' : escalate('Is that all?'),
        }),
      ],
    });
    const run = startRun(pipeline, { store });
    const items = async () => {
      while (run.inbox().length < 2) await idle();
      return run.inbox();
    };
    const all = await items();
    const records = await readRun(store, run.id);
    const inputsOf = (about: string) =>
      all.flatMap((one) => (one.about === about ? [itemDetail(records, one).inputs] : []));
    expect(inputsOf('print')).toEqual([{ notes: { t: 'notes 0' } }]);
    expect(inputsOf('check')).toEqual([{ notes: { t: 'notes 1' } }]);
    run.cancel();
    await run.result;
  });

  it('has the inputs of a retry, which are those of the attempt before', async () => {
    const store = memoryStore();
    const pipeline = definePipeline({
      name: 'paper',
      phases: [
        phase('notes', { tasks: [task('t', { run: ({ attempt }) => `notes ${attempt}` })] }),
        phase('print', {
          after: ['notes'],
          tasks: [task('t', { run: ({ inputs }) => inputs['notes']?.['t'] })],
          review: () => escalate('Well?'),
        }),
        phase('check', {
          after: ['notes'],
          tasks: [task('t', { run: () => 1 })],
          review: ({ inputs }) => (inputs['notes']?.['t'] === 'notes 0' ? 'RETRY_PREDECESSOR notes: More.' : 'APPROVE'),
        }),
      ],
    });
    const run = startRun(pipeline, { store });
    const seen: unknown[] = [];
    const look = async () => {
      const item = await itemOf(run);
      while (run.snapshot().phases['check']?.status !== 'approved') await idle();
      const { inputs, attempts } = itemDetail(await readRun(store, run.id), item);
      seen.push([inputs['notes']?.['t'], attempts.at(-1)?.outputs['t']]);
      return item;
    };
    await run.answer((await look()).id, { type: 'decide', decision: 'RETRY: Again.' });
    await run.answer((await look()).id, { type: 'abort' });
    const { status } = await run.result;
    const again = await retryRun(store, run.id, pipeline);
    const item = await itemOf(again);
    const { inputs, attempts } = itemDetail(await readRun(store, run.id), item);
    seen.push([inputs['notes']?.['t'], attempts.at(-1)?.outputs['t']]);
    expect([status, seen]).toEqual([
      'cancelled',
      [
        ['notes 0', 'notes 0'],
        ['notes 0', 'notes 0'],
        ['notes 1', 'notes 1'],
      ],
    ]);
    again.cancel();
    await again.result;
  });

  it('marks answers that end the run', async () => {
    const { run, detail } = await detailOf();
    expect(detail.choices.flatMap((choice) => (choice.run ? [[choice.answer, choice.run]] : []))).toEqual([
      ['abort', 'ends'],
    ]);
    run.cancel();
    await run.result;
  });

  it('predicts the phases that a skip skips, and that a rewind runs', async () => {
    const one = await detailOf();
    await one.run.answer(one.item.id, { type: 'skip' });
    const { phases } = await one.run.result;
    const skipped = Object.keys(phases).filter((name) => phases[name]?.status === 'skipped');
    expect(skipped).toEqual(one.detail.choices.find(({ answer }) => answer === 'skip')?.skips);

    const two = await detailOf();
    const before = two.run.snapshot().phases;
    await two.run.answer(two.item.id, { type: 'decide', decision: 'RETRY_PREDECESSOR notes: more' });
    await itemOf(two.run);
    const after = two.run.snapshot().phases;
    const again = Object.keys(after).filter((name) => after[name]?.attempts !== before[name]?.attempts);
    const choice = two.detail.choices.find((each) => each.phase === 'notes');
    expect(again).toEqual(choice?.runs);
    expect(Object.keys(after).filter((name) => after[name]?.stale)).toEqual(choice?.stale);
    two.run.cancel();
    await two.run.result;
  });
});

// --- internal ---

/** Runs until `draft` waits for a person after two attempts. `index` is an independent phase. */
async function detailOf(
  policy: Policy = {},
): Promise<{ run: Run<unknown>; item: InboxItem; detail: ItemDetail; store: RunStore }> {
  const store = memoryStore();
  const pipeline = definePipeline({
    name: 'book',
    limits: { costUsd: 9 },
    policy,
    phases: [
      phase('notes', { tasks: [task('t', { run: ({ attempt }) => attempt })] }),
      phase('plan', { after: ['notes'], tasks: [task('t', { run: ({ attempt }) => attempt + 1 })] }),
      phase('draft', {
        after: ['plan'],
        tasks: [
          task('text', {
            run: ({ attempt, report }) => {
              report({ tokens: 10, costUsd: 0.25 });
              return attempt === 0 ? 'one\ntwo\n' : 'one\n2\n';
            },
          }),
          task('list', { run: () => [1] }),
        ],
        review: ({ attempt }) => (attempt === 0 ? retry('figures', { requiredChange: 'Use 2.' }) : escalate('Well?')),
      }),
      phase('index', { after: ['notes'], tasks: [task('t', { run: () => 1 })] }),
      phase('print', { after: ['draft'], tasks: [task('t', { run: () => 1 })] }),
      phase('bind', { after: ['print', 'index'], tasks: [task('t', { run: () => 1 })] }),
    ],
  });
  const run = startRun(pipeline, { store });
  const item = await itemOf(run);
  return { run, store, item, detail: itemDetail(await readRun(store, run.id), item) };
}

async function itemOf(run: Run<unknown>): Promise<InboxItem> {
  for (;;) {
    const [item] = run.inbox();
    if (item) return item;
    await idle();
  }
}
