/** Pools: tries that work at once, over all workers of a store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  approve,
  createWorker,
  definePipeline,
  memoryStore,
  phase,
  startRun,
  submitRun,
  task,
  type Pipeline,
  type Worker,
  type WorkerOptions,
} from '../src/index.ts';
import { createPlaces } from '../src/runtime/workers/places.ts';
import { sqliteStore } from '../src/sqlite.ts';
import type { RunStore } from '../src/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'phasegate-pools-'));
afterAll(() => rmSync(folder, { recursive: true }));

const workers: Worker[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

/** Counts calls that work at once. */
function gauge() {
  const seen = { now: 0, most: 0, all: 0 };
  return {
    seen,
    call: async () => {
      seen.now += 1;
      seen.all += 1;
      seen.most = Math.max(seen.most, seen.now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.now -= 1;
    },
  };
}

function employ(store: RunStore, pipeline: Pipeline<unknown>, options: WorkerOptions) {
  const done: string[] = [];
  workers.push(
    createWorker(store, [pipeline], { onDone: ({ id }, { status }) => done.push(`${id} ${status}`), ...options }),
  );
  return done;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const completed = async (store: RunStore) => (await store.runs({ status: ['completed'] })).length;

/** A pipeline with three tasks at once, and a reviewer, all in one pool; and one task in none. */
function essay(call: () => Promise<void>, free: () => Promise<void> = async () => undefined) {
  const tasks = ['a', 'b', 'c'].map((name) => task(name, { pool: 'model', run: call }));
  const by = task('review', {
    pool: 'model',
    async run() {
      await call();
      return approve();
    },
  });
  return definePipeline({
    name: 'essay',
    phases: [phase('draft', { tasks: [...tasks, task('free', { run: free })], review: by })],
  });
}

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(join(folder, `${Math.random()}.sqlite`))],
])('a pool, in a store in %s', (_, make) => {
  it('limits tasks and reviewers of all workers together', async () => {
    const store = make();
    const { seen, call } = gauge();
    let free = 0;
    // Work outside of the pool is not limited: three of these tasks wait for each other.
    const pipeline = essay(call, async () => {
      free += 1;
      await until(() => free >= 3);
    });
    for (let at = 0; at < 6; at += 1) await submitRun(store, pipeline, { runId: `r${at}` });
    for (const holder of ['one', 'two', 'three'])
      employ(store, pipeline, { pools: { model: 2 }, holder, concurrency: 2 });
    await until(async () => (await completed(store)) === 6);
    expect(seen).toEqual({ now: 0, most: 2, all: 24 });
  });

  it('leaves no lease behind', async () => {
    const store = make();
    const leases: string[] = [];
    const counting: RunStore = {
      ...store,
      acquire(runId, ...given) {
        leases.push(runId);
        return store.acquire(runId, ...given);
      },
    };
    const { call } = gauge();
    const pipeline = essay(call);
    await submitRun(store, pipeline, { runId: 'r' });
    employ(counting, pipeline, { pools: { model: 2 } });
    await until(async () => (await completed(store)) === 1);
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    const places = new Set(leases.filter((id) => id.startsWith(':place/')));
    expect(places.size).toBe(2);
    for (const id of places) await store.release(await store.acquire(id, 'test', 1000));
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['r']);
  });

  it('takes the place of a worker that was killed', async () => {
    const store = make();
    await store.acquire(':place/model/0', `process 999999999 on ${hostname()} (start 1)`, 30_000);
    const pipeline = essay(gauge().call);
    await submitRun(store, pipeline, { runId: 'r' });
    const done = employ(store, pipeline, { pools: { model: 1 } });
    await until(() => done.length === 1);
    expect(done).toEqual(['r completed']);
  });
});

describe('a pool', () => {
  it('is waited for until a place of another machine expires, and no longer after a cancel', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    await store.acquire(':place/model/0', 'another machine', 30_000);
    const { seen, call } = gauge();
    const pipeline = essay(call);
    const runs: string[] = [];
    await submitRun(store, pipeline, { runId: 'cancelled' });
    await submitRun(store, pipeline, { runId: 'patient' });
    const done = employ(store, pipeline, { pools: { model: 1 }, onRun: ({ id }) => runs.push(id) });
    await until(() => runs.length === 2);
    await store.post({ runId: 'cancelled', kind: 'cancel', body: 'enough', by: 'ada', time: 1 });
    await until(() => done.length === 1);
    expect(done).toEqual(['cancelled cancelled']);
    expect(seen.all).toBe(0);
    time = 40_000;
    await until(() => done.length === 2);
    expect(done).toEqual(['cancelled cancelled', 'patient completed']);
    expect(seen).toMatchObject({ most: 1, all: 4 });
  });

  it('limits the tasks of a pipeline that a task runs', async () => {
    const store = memoryStore();
    const { seen, call } = gauge();
    const inner = essay(call);
    const outer = definePipeline({
      name: 'outer',
      phases: [phase('all', { tasks: ['x', 'y'].map((name) => task(name, { pipeline: () => inner })) })],
    });
    await submitRun(store, outer, { runId: 'r' });
    const done = employ(store, outer, { pools: { model: 1 } });
    await until(() => done.length === 1);
    expect(done).toEqual(['r completed']);
    expect(seen).toEqual({ now: 0, most: 1, all: 8 });
  });

  it('fails a task of such a pipeline if it has no size', async () => {
    const store = memoryStore();
    const inner = essay(gauge().call);
    const outer = definePipeline({
      name: 'outer',
      phases: [phase('all', { tasks: [task('x', { pipeline: () => inner })] })],
    });
    await submitRun(store, outer, { runId: 'r' });
    const done = employ(store, outer, {});
    await until(() => done.length === 1);
    expect(done).toEqual(['r failed']);
  });

  it('has no limit without a worker', async () => {
    const { seen, call } = gauge();
    expect(await startRun(essay(call)).result).toMatchObject({ status: 'completed' });
    expect(seen.most).toBe(3);
  });

  it('has no limit if its worker says so', async () => {
    const store = memoryStore();
    const { seen, call } = gauge();
    const pipeline = essay(call);
    await submitRun(store, pipeline, { runId: 'r' });
    const done = employ(store, pipeline, { pools: { model: 'unlimited' } });
    await until(() => done.length === 1);
    expect(seen.most).toBe(3);
  });

  it('needs a size, which is a whole number from 1', () => {
    const pipeline = essay(gauge().call);
    const create = (pools: WorkerOptions['pools']) => () => createWorker(memoryStore(), [pipeline], { pools });
    expect(create({})).toThrow('pool "model" has no size');
    for (const size of [0, -1, 1.5, NaN, Infinity])
      expect(create({ model: size })).toThrow('the size of pool "model" is');
  });

  it('is refused for a task that runs a pipeline, which would keep its place from its own tasks', () => {
    const inner = essay(gauge().call);
    const both = { pipeline: () => inner, pool: 'model' };
    const tasks = [task('x', both)];
    expect(() => definePipeline({ name: 'outer', phases: [phase('all', { tasks })] })).toThrow(
      'expected none next to "pipeline"',
    );
  });

  it('is no part of the definition of a run', () => {
    const make = (pool?: string) =>
      definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { pool, run: () => 1 })] })] });
    expect(make('model').plan).toEqual(make().plan);
  });
});

describe('a place', () => {
  it('is given back if its work is over in the moment in which it is granted', async () => {
    const base = memoryStore();
    const ends = new AbortController();
    const store: RunStore = {
      ...base,
      acquire(...given) {
        const lease = base.acquire(...given);
        ends.abort(new Error('over'));
        return lease;
      },
    };
    const places = createPlaces(store, { model: 1 }, 'me');
    const work = vi.fn();
    await expect(places.hold('model', ends.signal, work)).rejects.toThrow('over');
    expect(work).not.toHaveBeenCalled();
    await base.release(await base.acquire(':place/model/0', 'other', 1000));
    places.close();
  });

  it('is renewed as long as its work lasts, also if that ignores its signal for some time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    let time = 0;
    const store = memoryStore({ now: () => time });
    const places = createPlaces(store, { model: 1 }, 'me');
    const ends = new AbortController();
    const begun = new Promise<void>((resolve) => {
      void places.hold('model', ends.signal, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    await begun;
    const isTaken = () => {
      try {
        void store.acquire(':place/model/0', 'other', 1);
        return false;
      } catch (error) {
        expect(error).toMatchObject({ code: 'RUN_LEASED' });
        return true;
      }
    };
    for (let times = 0; times < 5; times += 1) {
      time += 10_000;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(isTaken()).toBe(true);
    }
    ends.abort();
    await vi.advanceTimersByTimeAsync(4900);
    expect(isTaken()).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(isTaken()).toBe(false);
    places.close();
  });
});
