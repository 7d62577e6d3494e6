import { describe, expect, it } from 'vitest';
import { definePipeline, memoryStore, phase, PhasegateError, readRun, startRun, task } from '../src/index.ts';
import type { Append, Batch, Lease, RunStore } from '../src/store.ts';

const pipeline = definePipeline({
  name: 'pair',
  phases: [
    phase('first', { tasks: [task('work', { run: async () => 1 })], review: async () => 'APPROVE' }),
    phase('second', { after: ['first'], tasks: [task('work', { run: async () => 2 })], review: async () => 'APPROVE' }),
  ],
});

/** A store in memory that also stores batches of several runs at once. It notes the number of each call's batches. */
function grouping(refused: ReadonlySet<string> = new Set()): { readonly store: RunStore; readonly calls: number[] } {
  const inner = memoryStore();
  const calls: number[] = [];
  const appendOne = ({ batch, lease }: Append): PhasegateError | undefined => {
    if (refused.has(batch.runId))
      return new PhasegateError('STORE_FULL', 'Cannot append as it is a test', { hint: '' });
    void inner.append(batch, lease);
    return undefined;
  };
  const append = (batch: Batch, lease?: Lease) => {
    calls.push(1);
    const error = appendOne({ batch, lease });
    if (error) throw error;
  };
  const all = async (appends: readonly Append[]) => {
    calls.push(appends.length);
    return appends.map(appendOne);
  };
  const store: RunStore = { ...inner, append: Object.assign(append, { all }) };
  return { store, calls };
}

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

describe('runs of one store', () => {
  it('share appends, and have the records that each has alone', async () => {
    const alone = grouping();
    await startRun(pipeline, { store: alone.store, runId: 'alone' }).result;
    const { store, calls } = grouping();
    await Promise.all(idsOf(50).map((runId) => startRun(pipeline, { store, runId }).result));
    expect(new Set(alone.calls)).toEqual(new Set([1]));
    // As many calls as for one run: all runs are at the same point.
    expect(calls.length).toBeLessThanOrEqual(alone.calls.length + 2);
    expect(Math.max(...calls)).toBe(50);
    const types = async (from: RunStore, runId: string) => (await readRun(from, runId)).map(({ event }) => event.type);
    for (const runId of idsOf(50)) expect(await types(store, runId)).toEqual(await types(alone.store, 'alone'));
  });

  it('store two batches for each phase and one more, as a store waits for the disk at each', async () => {
    const { store, calls } = grouping();
    await startRun(pipeline, { store }).result;
    expect(calls).toEqual([1, 1, 1, 1, 1]);
  });

  it('store at most 256 batches at once', async () => {
    const { store, calls } = grouping();
    await Promise.all(idsOf(600).map((runId) => startRun(pipeline, { store, runId }).result));
    expect(Math.max(...calls)).toBe(256);
  });

  it('go on if the store refuses one of them', async () => {
    const { store } = grouping(new Set(['run-3']));
    const results = await Promise.all(idsOf(5).map((runId) => startRun(pipeline, { store, runId }).result));
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'failed', 'completed']);
    expect(results[3]?.error?.code).toBe('STORE_FAILED');
    expect(String(results[3]?.error?.cause)).toContain('STORE_FULL');
  });

  it('all end if the store refuses everything', async () => {
    const { store } = grouping();
    const broken: RunStore = { ...store, append: Object.assign(refuse, { all: refuse }) };
    const results = await Promise.all(idsOf(3).map((runId) => startRun(pipeline, { store: broken, runId }).result));
    expect(results.map(({ error }) => error?.code)).toEqual(['STORE_FAILED', 'STORE_FAILED', 'STORE_FAILED']);
  });

  it('go on alone if the store breaks on all of them at once, as one may be the cause', async () => {
    const { store, calls } = grouping();
    const { append } = store;
    const all = () => {
      throw new Error('too large');
    };
    const fragile: RunStore = {
      ...store,
      append: Object.assign(
        (batch: Batch, lease?: Lease) => {
          if (batch.runId === 'run-3') throw new Error('too large');
          return append(batch, lease);
        },
        { all },
      ),
    };
    const results = await Promise.all(idsOf(5).map((runId) => startRun(pipeline, { store: fragile, runId }).result));
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'failed', 'completed']);
    expect(new Set(calls)).toEqual(new Set([1]));
  });

  it('end if the store does not tell which batches it has stored', async () => {
    const { store } = grouping();
    const vague: RunStore = { ...store, append: Object.assign(() => undefined, { all: () => [undefined] }) };
    const results = await Promise.all(idsOf(3).map((runId) => startRun(pipeline, { store: vague, runId }).result));
    expect(results.map(({ error }) => String(error?.cause))).toEqual(
      Array(3).fill(expect.stringContaining('STORE_MISUSED')),
    );
  });

  it('never go past a store that wraps another, and replaces append', async () => {
    const { store, calls } = grouping();
    let seen = 0;
    const audited: RunStore = {
      ...store,
      append(batch, lease) {
        seen += 1;
        return store.append(batch, lease);
      },
    };
    await Promise.all(idsOf(5).map((runId) => startRun(pipeline, { store: audited, runId }).result));
    expect(seen).toBe(calls.length);
    expect(new Set(calls)).toEqual(new Set([1]));
  });

  it('append alone to a store that stores one batch at a time', async () => {
    const { store, calls } = grouping();
    const single: RunStore = { ...store, append: (batch, lease) => store.append(batch, lease) };
    await Promise.all(idsOf(5).map((runId) => startRun(pipeline, { store: single, runId }).result));
    expect(new Set(calls)).toEqual(new Set([1]));
  });
});

function refuse(): never {
  throw new Error('no disk');
}
