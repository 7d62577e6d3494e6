/** Retries of a run whose task has started another one. */
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  memoryStore,
  needsRework,
  phase,
  reject,
  resumeRun,
  retryRun,
  startRun,
  task,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { readRun } from '../src/store/read-run.ts';
import { keep } from './kept-run.ts';

const FIRST = 'r/build/0/0/task/all';
const SECOND = 'r/build/1/0/task/all';

/** Counts the work of a pipeline of two levels, whose second one fails until it is repaired. */
function scene(estimate: { readonly tokens?: number } = {}) {
  const done: string[] = [];
  const state = { isRepaired: false, verdict: 'APPROVE', input: 1 };
  const work = (name: string) => ({
    run({ report }: { report: (used: { tokens: number }) => void }) {
      report({ tokens: 10 });
      done.push(name);
      if (name === 'two' && !state.isRepaired) throw new Error('It is broken.');
      return name;
    },
  });
  const inner = (goal: string) =>
    definePipeline({
      name: 'inner',
      phases: [
        phase('one', { tasks: [task('one', work('one'))] }),
        phase('two', { after: ['one'], tasks: [task('two', { ...work('two'), description: goal })] }),
      ],
    });
  const plan = phase('plan', { tasks: [task('goal', { run: () => 'blog' })] });
  const build = phase('build', {
    after: [plan],
    tasks: (define) => [
      define('all', { estimate, pipeline: ({ inputs }) => inner(inputs.plan.goal), input: () => state.input }),
    ],
    review: () => (state.verdict === 'APPROVE' ? 'APPROVE' : reject('No.')),
  });
  return { done, state, pipeline: definePipeline({ name: 'outer', phases: [plan, build] }) };
}

async function failed(store: RunStore, { pipeline }: ReturnType<typeof scene>): Promise<void> {
  expect((await startRun(pipeline, { store, runId: 'r' }).result).status).toBe('failed');
}

describe('a retried run', () => {
  it('continues the run of its task, and pays for approved phases once', async () => {
    const store = memoryStore();
    const one = scene();
    await failed(store, one);
    one.state.isRepaired = true;
    const result = await (await retryRun(store, 'r', one.pipeline)).result;
    expect(result).toMatchObject({ status: 'completed', outputs: { build: { all: { one: { one: 'one' } } } } });
    expect(one.done).toEqual(['one', 'two', 'two']);
    expect(result.metrics.tokens).toBe(30);
    expect(await store.run(SECOND)).toMatchObject({ forkOf: FIRST, status: 'completed', tokens: 30 });
    expect(await store.run(FIRST)).toMatchObject({ status: 'failed' });
  });

  it('continues it again and again', async () => {
    const store = memoryStore();
    const one = scene();
    await failed(store, one);
    expect((await (await retryRun(store, 'r', one.pipeline)).result).status).toBe('failed');
    one.state.isRepaired = true;
    const result = await (await retryRun(store, 'r', one.pipeline)).result;
    expect(one.done).toEqual(['one', 'two', 'two', 'two']);
    expect(result.metrics.tokens).toBe(40);
  });

  it('is resumed after a kill at any record of either, and counts each usage once', async () => {
    const whole = memoryStore();
    const one = scene();
    await failed(whole, one);
    const first = await readRun(whole, FIRST);
    const before = (await whole.run('r'))?.seq ?? 0;
    one.state.isRepaired = true;
    await (
      await retryRun(whole, 'r', one.pipeline)
    ).result;
    const parent = await readRun(whole, 'r');
    const child = await readRun(whole, SECOND);
    const isPossible = (own: number, its: number) =>
      usageOf(parent.slice(0, own)) <= Math.max(20, usageOf(child.slice(0, its)));
    const begun = parent.findLastIndex(({ event }) => event.type === 'phase.started' && event.phase === 'build') + 1;
    expect(begun).toBeGreaterThan(before);
    let cuts = 0;
    for (let own = begun; own < parent.length; own++)
      for (const its of [0, ...child.keys()].filter((length) => length === 0 || length >= first.length)) {
        if (!isPossible(own, its)) continue;
        cuts += 1;
        const store = memoryStore();
        await keep(store, first);
        await keep(store, parent.slice(0, own));
        if (its > 0) await keep(store, child.slice(0, its), FIRST);
        one.done.length = 0;
        const result = await (await resumeRun(store, 'r', one.pipeline)).result;
        expect([own, its, result.status]).toEqual([own, its, 'completed']);
        expect([own, its, one.done.includes('one')]).toEqual([own, its, false]);
        expect([own, its, result.metrics.tokens]).toEqual([own, its, usageOf(await readRun(store, SECOND))]);
      }
    expect(cuts).toBeGreaterThan(20);
  });

  it('starts another run if the task has another input, or its phase was rejected', async () => {
    for (const change of ['input', 'verdict'] as const) {
      const store = memoryStore();
      const one = scene();
      if (change === 'verdict') {
        Object.assign(one.state, { isRepaired: true, verdict: 'REJECT' });
        expect((await startRun(one.pipeline, { store, runId: 'r' }).result).status).toBe('rejected');
      } else await failed(store, one);
      Object.assign(one.state, { isRepaired: true, verdict: 'APPROVE', input: change === 'input' ? 2 : 1 });
      expect((await (await retryRun(store, 'r', one.pipeline)).result).status).toBe('completed');
      expect(one.done).toEqual(['one', 'two', 'one', 'two']);
      expect((await store.run(SECOND))?.forkOf).toBeUndefined();
    }
  });

  it('takes the end of a completed run whose phase failed for another reason', async () => {
    const store = memoryStore();
    const done: string[] = [];
    let isBroken = true;
    const inner = definePipeline({
      name: 'inner',
      phases: [phase('one', { tasks: [task('one', { run: () => done.push('one') })] })],
    });
    const outcome = task('all', {
      pipeline: () => inner,
      outcome: ({ outputs }) => {
        if (isBroken) throw new Error('It cannot be published.');
        return outputs;
      },
    });
    const pipeline = definePipeline({ name: 'outer', phases: [phase('build', { tasks: [outcome] })] });
    await startRun(pipeline, { store, runId: 'r' }).result;
    isBroken = false;
    expect(await (await retryRun(store, 'r', pipeline)).outputs).toEqual({ build: { all: { one: { one: 1 } } } });
    expect(done).toEqual(['one']);
  });

  it('continues the run that was made of the latest plan', async () => {
    const store = memoryStore();
    const done: string[] = [];
    const plan = phase('plan', { tasks: [task('goal', { run: ({ generation }) => `goal ${generation}` })] });
    const inner = definePipeline({
      name: 'inner',
      phases: [
        phase('one', { tasks: [task('one', { run: () => done.push('one') })] }),
        phase('two', {
          after: ['one'],
          tasks: [task('two', { run: () => Promise.reject(new Error('It is broken.')) })],
        }),
      ],
    });
    const all = task('all', {
      pipeline: () => inner,
      outcome: () => {
        throw needsRework('plan', 'Plan anew.');
      },
    });
    const build = phase('build', {
      after: [plan],
      tasks: [all],
      review: { by: () => 'APPROVE', maxPredecessorRetries: 1 },
    });
    const pipeline = definePipeline({ name: 'outer', phases: [plan, build] });
    expect((await startRun(pipeline, { store, runId: 'r' }).result).status).toBe('failed');
    expect(done).toHaveLength(2);
    await (
      await retryRun(store, 'r', pipeline)
    ).result;
    expect(done).toHaveLength(2);
    expect((await store.run(SECOND))?.forkOf).toBe('r/build/0.1/0/task/all');
  });

  it('gives the run of its task the whole estimate again', async () => {
    const store = memoryStore();
    const one = scene({ tokens: 25 });
    await failed(store, one);
    one.state.isRepaired = true;
    expect((await (await retryRun(store, 'r', one.pipeline)).result).status).toBe('completed');
    expect(await store.run(SECOND)).toMatchObject({ status: 'completed', tokens: 30 });
  });
});

function usageOf(records: readonly RunRecord[]): number {
  return records.reduce((sum, { event }) => sum + (event.type === 'task.reported' ? (event.tokens ?? 0) : 0), 0);
}
