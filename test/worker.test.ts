/** Workers: they continue the runs of a store, a bounded number at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  approve,
  createWorker,
  definePipeline,
  human,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  startRun,
  submitRun,
  task,
  type Pipeline,
  type Worker,
  type WorkerOptions,
} from '../src/index.ts';
import { answerItem } from '../src/inbox.ts';
import { sqliteStore } from '../src/sqlite.ts';
import { hasWorker } from '../src/runtime/workers/presence.ts';
import type { RunStore } from '../src/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'phasegate-worker-'));
afterAll(() => rmSync(folder, { recursive: true }));

const workers: Worker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

/** Starts a worker, which is stopped after the test. */
function employ(store: RunStore, pipeline: Pipeline<unknown>, options: WorkerOptions = {}) {
  const done: string[] = [];
  const failed: string[] = [];
  const worker = createWorker(store, [pipeline], {
    onDone: (run, { status }) => done.push(`${run.id} ${status}`),
    onFailed: ({ runId, error }) => failed.push(`${runId} ${String(Reflect.get(Object(error), 'code'))}`),
    ...options,
  });
  workers.push(worker);
  return { worker, done, failed };
}

/** Resolves when a condition holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** One task, and a person who reviews it. `works` counts its calls by run. */
function reviewed() {
  const works = new Map<string, number>();
  const write = task('write', {
    run({ run }) {
      works.set(run, (works.get(run) ?? 0) + 1);
      return 1;
    },
  });
  const draft = phase('draft', { tasks: [write], review: human({ question: 'Good?' }) });
  return { works, pipeline: definePipeline({ name: 'essay', phases: [draft] }) };
}

async function approveAll(store: RunStore): Promise<void> {
  for (const { id } of await store.inbox({ open: true }))
    await answerItem(store, id, { type: 'decide', decision: approve() });
}

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(join(folder, `${Math.random()}.sqlite`))],
])('a worker on a store in %s', (_, make) => {
  it('begins submitted runs, lets them go while they wait, and ends them after their answers', async () => {
    const store = make();
    const { works, pipeline } = reviewed();
    for (const runId of ['a', 'b', 'c']) expect(await submitRun(store, pipeline, { runId })).toBe(runId);
    expect(works.size).toBe(0);
    const { worker, done } = employ(store, pipeline);
    await until(() => done.length === 3);
    expect(worker.runs).toEqual([]);
    expect(done.toSorted()).toEqual(['a suspended', 'b suspended', 'c suspended']);
    expect((await store.runs({ leased: true })).length).toBe(0);
    await approveAll(store);
    await until(() => done.length === 6);
    expect(done.slice(3).toSorted()).toEqual(['a completed', 'b completed', 'c completed']);
    expect([...works.values()]).toEqual([1, 1, 1]);
    await store.close();
  });

  it('shares them with others, so that no work is done twice', async () => {
    const store = make();
    const { works, pipeline } = reviewed();
    const ids = Array.from({ length: 30 }, (_unused, at) => `run-${at}`);
    for (const runId of ids) await submitRun(store, pipeline, { runId });
    const teams = [1, 2, 3].map(() => employ(store, pipeline, { concurrency: 4 }));
    const count = () => teams.reduce((sum, { done }) => sum + done.length, 0);
    await until(() => count() >= 30);
    await approveAll(store);
    await until(async () => (await store.runs({ status: ['completed'] })).length === 30);
    expect([...works.values()]).toEqual(ids.map(() => 1));
    expect(teams.flatMap(({ failed }) => failed)).toEqual([]);
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await store.close();
  });
});

describe('a worker', () => {
  it('works on no more runs at once than it may', async () => {
    const store = memoryStore();
    let [active, most] = [0, 0];
    const releases: (() => void)[] = [];
    const write = task('write', {
      async run() {
        most = Math.max(most, ++active);
        await new Promise<void>((resolve) => releases.push(resolve));
        active -= 1;
        return 1;
      },
    });
    const pipeline = definePipeline({ name: 'essay', phases: [phase('draft', { tasks: [write] })] });
    for (let run = 0; run < 12; run++) await submitRun(store, pipeline);
    const { done } = employ(store, pipeline, { concurrency: 3 });
    for (let ended = 0; ended < 12; ended++) {
      await until(() => releases.length > ended && active === Math.min(3, 12 - ended));
      releases[ended]?.();
    }
    await until(() => done.length === 12);
    expect(most).toBe(3);
  });

  it('continues runs that another process has left once they are answered, and leaves those that somebody has', async () => {
    const store = memoryStore();
    const { works, pipeline } = reviewed();
    const held = startRun(pipeline, { store, runId: 'held' });
    const left = startRun(pipeline, { store, runId: 'left' });
    await until(async () => (await store.inbox({ open: true })).length === 2);
    left.suspend();
    await left.result;
    const { done } = employ(store, pipeline);
    await submitRun(store, pipeline, { runId: 'other' });
    await until(() => done.length === 1);
    expect(done).toEqual(['other suspended']);
    const item = (await store.inbox({ runId: 'left', open: true }))[0]?.id ?? '';
    await answerItem(store, item, { type: 'decide', decision: approve() });
    await until(() => done.length === 2);
    expect(done).toEqual(['other suspended', 'left completed']);
    held.cancel();
    await held.result;
    expect(works.get('left')).toBe(1);
  });

  it('says once that it cannot continue a run, and goes on with others', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    const other = definePipeline({ name: 'essay', phases: [phase('other', { tasks: [task('t', { run: () => 1 })] })] });
    await submitRun(store, other, { runId: 'changed' });
    const { done, failed } = employ(store, pipeline);
    await until(() => failed.length > 0);
    await submitRun(store, pipeline, { runId: 'same' });
    await until(() => done.length === 1);
    expect(failed).toEqual(['changed RUN_CHANGED']);
    expect(done).toEqual(['same suspended']);
  });

  it('suspends its runs when it is stopped, and lets them end when it is drained', async () => {
    const store = memoryStore();
    const releases: (() => void)[] = [];
    const write = task('write', { run: () => new Promise((resolve) => releases.push(() => resolve(1))) });
    const pipeline = definePipeline({ name: 'essay', phases: [phase('draft', { tasks: [write] })] });
    await submitRun(store, pipeline, { runId: 'a' });
    const first = employ(store, pipeline);
    await until(() => releases.length === 1);
    await first.worker.stop();
    expect(first.done).toEqual(['a suspended']);
    const second = employ(store, pipeline);
    await until(() => releases.length === 2);
    await submitRun(store, pipeline, { runId: 'b' });
    const drained = second.worker.drain();
    releases[1]?.();
    await drained;
    expect(second.done).toEqual(['a completed']);
    expect((await store.run('b'))?.seq).toBe(1);
  });

  it('is stopped by a signal', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    const { worker, done } = employ(store, pipeline, { signal: AbortSignal.abort() });
    await submitRun(store, pipeline);
    await worker.drain();
    expect(done).toEqual([]);
  });

  it('tries again after its store has failed', async () => {
    const kept = memoryStore();
    const errors: unknown[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      let isBroken = true;
      const store: RunStore = {
        ...kept,
        ready(...given) {
          if (isBroken) throw new Error('The disk is gone.');
          return kept.ready(...given);
        },
      };
      const { pipeline } = reviewed();
      await submitRun(store, pipeline, { runId: 'a' });
      const { done } = employ(store, pipeline, { onError: (error) => errors.push(error) });
      await vi.advanceTimersByTimeAsync(4000);
      expect(errors).toHaveLength(1);
      isBroken = false;
      await vi.advanceTimersByTimeAsync(2000);
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(done).toEqual(['a suspended']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks its store fewer than five things in a second while all runs wait', async () => {
    const kept = memoryStore();
    const { pipeline } = reviewed();
    for (let run = 0; run < 5; run++) await submitRun(kept, pipeline);
    let calls = 0;
    const counted = new Proxy(kept, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => ((calls += 1), Reflect.apply(value, target, given) as unknown);
      },
    });
    const { done } = employ(counted, pipeline);
    await until(() => done.length === 5);
    await new Promise((resolve) => setImmediate(resolve));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await workers[0]?.stop();
    const again = employ(counted, pipeline);
    try {
      await vi.advanceTimersByTimeAsync(1000);
      calls = 0;
      await vi.advanceTimersByTimeAsync(20_000);
      expect(calls).toBeGreaterThan(60);
      expect(calls).toBeLessThanOrEqual(100);
      expect(again.done).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [{ concurrency: 0 }, 'its concurrency is 0'],
    [{ concurrency: 1.5 }, 'its concurrency is 1.5'],
  ])('is refused with %j', (options, why) => {
    expect(() => createWorker(memoryStore(), [reviewed().pipeline], options)).toThrow(why);
  });

  it('is refused with two pipelines of one name and one definition', () => {
    const [one, two] = [reviewed().pipeline, reviewed().pipeline];
    expect(() => createWorker(memoryStore(), [one, two])).toThrow('named "essay" have the same definition');
    expect(() => createWorker(memoryStore(), [one, one], { signal: AbortSignal.abort() })).not.toThrow();
  });
});

describe('a worker is seen by others', () => {
  it('until it is stopped', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    await submitRun(store, pipeline, { runId: 'r' });
    const run = await store.run('r');
    if (!run) throw new Error('The run is gone.');
    expect(await hasWorker(store, run)).toBe(false);
    const first = employ(store, pipeline);
    await until(() => hasWorker(store, run));
    await first.worker.stop();
    expect(await hasWorker(store, run)).toBe(false);
  });
});

describe('versions of a pipeline', () => {
  function version(name: string) {
    const ran: string[] = [];
    const step = task('step', { run: ({ run }) => void ran.push(run) });
    return {
      ran,
      pipeline: definePipeline({ name: 'essay', version: name, phases: [phase('draft', { tasks: [step] })] }),
    };
  }

  it('live side by side in one worker', async () => {
    const store = memoryStore();
    const [one, two] = [version('1'), version('2')];
    await submitRun(store, one.pipeline, { runId: 'a' });
    await submitRun(store, two.pipeline, { runId: 'b' });
    await submitRun(store, two.pipeline, { runId: 'c', limits: { attemptsPerPhase: 9 } });
    const done: string[] = [];
    const worker = createWorker(store, [one.pipeline, two.pipeline], {
      onDone: ({ id }, { status }) => done.push(`${id} ${status}`),
    });
    workers.push(worker);
    await until(() => done.length === 3);
    expect(done.toSorted()).toEqual(['a completed', 'b completed', 'c completed']);
    expect(one.ran).toEqual(['a']);
    expect(two.ran.toSorted()).toEqual(['b', 'c']);
  });

  it('are left to the worker that has them, and only one run of each is tried', async () => {
    const base = memoryStore();
    const read: string[] = [];
    const listed: number[] = [];
    const store: RunStore = {
      ...base,
      read(runId, ...given) {
        read.push(runId);
        return base.read(runId, ...given);
      },
      async ready(...given) {
        const ready = await base.ready(...given);
        listed.push(ready.length);
        return ready;
      },
    };
    const [old, present] = [version('1'), version('2')];
    const ids = Array.from({ length: 50 }, (_, at) => `old-${at}`);
    for (const runId of ids) await submitRun(base, old.pipeline, { runId });
    const newer = employ(store, present.pipeline, { concurrency: 2 });
    await until(() => newer.failed.length > 0);
    await submitRun(base, present.pipeline, { runId: 'new' });
    await until(() => newer.done.length === 1);
    expect(newer.failed.every((line) => line.endsWith(' RUN_CHANGED'))).toBe(true);
    // Those of its first look: it has room for two.
    expect(newer.failed.length).toBeLessThanOrEqual(2);
    expect(new Set(read)).toEqual(new Set([...newer.failed.map((line) => line.replace(' RUN_CHANGED', '')), 'new']));
    expect(Math.max(...listed)).toBeLessThanOrEqual(4);
    expect(old.ran).toEqual([]);
    const older = employ(base, old.pipeline);
    await until(() => older.done.length === ids.length);
    expect(old.ran.toSorted()).toEqual(ids.toSorted());
    expect(present.ran).toEqual(['new']);
  });

  it('change with a run that is resumed with another', async () => {
    const store = memoryStore();
    const [one, two] = [version('1'), version('2')];
    await submitRun(store, one.pipeline, { runId: 'r' });
    const { done, failed } = employ(store, two.pipeline);
    await until(() => failed.length === 1);
    const run = await resumeRun(store, 'r', two.pipeline, { allowChanged: true });
    await run.result;
    expect(two.ran).toEqual(['r']);
    expect(done).toEqual([]);
  });
});

describe('submitRun()', () => {
  it('stores a run once, however often it is called', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    const given = { runId: 'r', input: { topic: 'gates' } };
    const ids = await Promise.all([1, 2, 3].map(() => submitRun(store, pipeline, given)));
    expect(ids).toEqual(['r', 'r', 'r']);
    const records = await readRun(store, 'r');
    expect(records.map(({ event }) => event.type)).toEqual(['run.started']);
    await expect(submitRun(store, pipeline, { ...given, input: 'other' })).rejects.toMatchObject({
      code: 'RUN_EXISTS',
    });
  });

  it('stores the same first record as startRun()', async () => {
    const { pipeline } = reviewed();
    const options = { runId: 'r', input: { topic: 'gates' }, attended: true, memory: 'mine', limits: { tokens: 9 } };
    const [started, submitted] = [memoryStore(), memoryStore()];
    const run = startRun(pipeline, { ...options, store: started });
    await until(async () => (await started.read('r')).length > 0);
    run.suspend();
    await submitRun(submitted, pipeline, options);
    const [[first], [other]] = [await readRun(started, 'r'), await readRun(submitted, 'r')];
    expect(other?.event).toEqual(first?.event);
  });

  it.each([
    ['an id that is not safe', { runId: '../x' }, 'INPUT_INVALID'],
    ['an input that is no JSON', { input: () => 1 }, 'INPUT_INVALID'],
    ['a blank memory', { memory: ' ' }, 'INPUT_INVALID'],
  ])('refuses %s', async (_, options, code) => {
    const store = memoryStore();
    await expect(submitRun(store, reviewed().pipeline, options)).rejects.toMatchObject({ code });
    expect(await store.runs()).toEqual([]);
  });

  it('refuses an input that is masked, as the worker would get the mask', async () => {
    const store = memoryStore();
    const redact = (event: Parameters<NonNullable<Parameters<typeof submitRun>[2]>['redact'] & object>[0]) =>
      event.type === 'run.started' ? { ...event, input: '***' } : event;
    const submitted = submitRun(store, reviewed().pipeline, { input: 'sk-1', redact });
    await expect(submitted).rejects.toMatchObject({ code: 'INPUT_MASKED' });
    expect(await store.runs()).toEqual([]);
  });
});
