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
import { fake, idle, untilAborted } from './rig.ts';

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

  it.each<[name: string, options: Parameters<typeof endsOf>[0], ends: Readonly<Record<string, string>>]>([
    [
      'a phase that others need',
      { last: false },
      { approve: 'goes on', reject: 'ends rejected', skip: 'ends completed' },
    ],
    ['the last phase', {}, { approve: 'ends completed', reject: 'ends rejected', skip: 'ends completed' }],
    [
      'the last phase, if the pipeline continues after failures',
      { policy: { onFailure: 'continue' } },
      { approve: 'ends completed', reject: 'ends rejected', skip: 'ends completed' },
    ],
    [
      'a phase beside one that waits too',
      { policy: { onFailure: 'continue' }, beside: true },
      { approve: 'goes on', reject: 'goes on', skip: 'goes on' },
    ],
  ])('tells for %s if the run ends, and how', async (_, options, ends) => {
    const choices = await endsOf(options);
    expect(choices).toMatchObject({ ...ends, retry: 'goes on', abort: 'ends cancelled' });
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
    const ending = detail.choices.filter((choice) => choice.run === 'ends');
    expect(ending.map(({ answer, endsAs }) => [answer, endsAs])).toEqual([
      ['reject', 'rejected'],
      ['skip', 'completed'],
      ['abort', 'cancelled'],
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

/** The ends of a run by answer: each is then given to a run of its own, to see that the run does so. */
async function endsOf(options: { readonly last?: boolean; readonly policy?: Policy; readonly beside?: boolean }) {
  const { last = true, policy, beside = false } = options;
  const replies = {
    approve: { type: 'decide', decision: 'APPROVE' },
    reject: { type: 'decide', decision: 'REJECT: No.' },
    skip: { type: 'skip' },
    abort: { type: 'abort' },
  } as const;
  const waiting = async () => {
    const phases = [
      fake('draft', { verdicts: ['ESCALATE: Well?'] }),
      ...(last ? [] : [fake('print', { after: ['draft'], outputs: [untilAborted] })]),
      ...(beside ? [fake('cover', { verdicts: ['ESCALATE: And this?'] })] : []),
    ];
    const pipeline = definePipeline({
      name: 'story',
      phases: phases.map(({ definition }) => definition),
      ...(policy && { policy }),
    });
    const store = memoryStore();
    const run = startRun(pipeline, { store });
    await expect.poll(() => run.inbox().length).toBe(beside ? 2 : 1);
    const item = run.inbox().find(({ about }) => about === 'draft');
    if (!item) throw new Error('draft does not wait');
    return { run, item, choices: itemDetail(await readRun(store, run.id), item).choices };
  };
  const first = await waiting();
  for (const { answer, run: end, endsAs } of first.choices) {
    if (answer !== 'approve' && answer !== 'reject' && answer !== 'skip' && answer !== 'abort') continue;
    const { run, item } = await waiting();
    await run.answer(item.id, replies[answer]);
    await expect.poll(() => run.inbox().some(({ id }) => id === item.id)).toBe(false);
    if (end === 'ends') expect([answer, (await run.result).status]).toEqual([answer, endsAs]);
    else expect([answer, run.snapshot().status]).toEqual([answer, 'running']);
    run.cancel();
    await run.result;
  }
  first.run.cancel();
  await first.run.result;
  return Object.fromEntries(
    first.choices.map(({ answer, run, endsAs }) => [answer, endsAs === undefined ? run : `${run} ${endsAs}`]),
  );
}

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
