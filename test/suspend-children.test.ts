/** Runs whose tasks have started others: all of them are let go while they only wait, and continued together. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  human,
  memoryStore,
  phase,
  resumeRun,
  retry,
  startRun,
  task,
  verifyRun,
  type Pipeline,
  type RunOptions,
} from '../src/index.ts';
import { answerItem } from '../src/inbox.ts';
import { postgresStore } from '../src/postgres.ts';
import { sqliteStore } from '../src/sqlite.ts';
import type { RunStore } from '../src/store.ts';
import { startPglite, type Engine } from './postgres/pglite.ts';

const folder = mkdtempSync(join(tmpdir(), 'suspend-children-'));
let engine: Engine | undefined;
let schemas = 0;
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await engine?.close();
});

const HOUR = 3_600_000;
const CHILD = 'run/build/0/0/task/all';
const GRANDCHILD = `${encodeURIComponent(CHILD)}/build/0/0/task/all`;

/** Runs, or continues, the run until it is let go or ends. */
async function statusOf(store: RunStore, pipeline: Pipeline<unknown>, more: Partial<RunOptions> = {}) {
  const options = { whileWaiting: 'suspend', ...more } as const;
  const run = (await store.run('run'))
    ? await resumeRun(store, 'run', pipeline, options)
    : startRun(pipeline, { attended: true, ...options, store, runId: 'run' });
  return (await run.result).status;
}

/** A pipeline whose task runs another one. */
function around(inner: Pipeline<unknown>, options: { readonly timeout?: number } = {}, name = 'outer') {
  return definePipeline({
    name,
    phases: [
      phase('build', {
        tasks: [task('all', { ...options, retry: { attempts: 1 }, pipeline: () => inner })],
      }),
    ],
  });
}

/** One task, which costs 3 tokens, and a person who reviews it. `works` counts its calls. */
function reviewed() {
  const works = { count: 0 };
  const write = task('write', {
    run({ report }) {
      works.count += 1;
      report({ tokens: 3 });
      return works.count;
    },
  });
  const draft = phase('draft', { tasks: [write], review: human({ question: 'Good?' }) });
  return { works, pipeline: definePipeline({ name: 'inner', phases: [draft] }) };
}

async function readyIn(store: RunStore): Promise<readonly string[]> {
  return (await store.ready(['outer', 'middle', 'inner'], 10)).map(({ runId }) => runId).toSorted();
}

async function onlyItem(store: RunStore): Promise<string> {
  const items = await store.inbox({ open: true });
  expect(items).toHaveLength(1);
  return items[0]?.id ?? 'none';
}

async function typesOf(store: RunStore, runId = 'run'): Promise<readonly string[]> {
  return (await store.read(runId)).map(({ event }) => event.type);
}

/** Resolves when a condition holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

function turns(count = 20): Promise<void> {
  return new Promise((resolve) => (count === 0 ? resolve() : setImmediate(() => void turns(count - 1).then(resolve))));
}

describe.each([
  ['memory', () => memoryStore()],
  ['PostgreSQL', async () => postgresStore({ pool: (engine ??= await startPglite()).pool, schema: `s${schemas++}` })],
  ['SQLite', () => sqliteStore(join(folder, `${Math.random()}.sqlite`))],
])('a run whose task has started one that waits for a person, in a store in %s', (_, make) => {
  it('is suspended with it, and both are continued by the answer', async () => {
    const store = await make();
    const { works, pipeline } = reviewed();
    const outer = around(pipeline);
    expect(await statusOf(store, outer)).toBe('suspended');
    expect(await store.runs({ leased: true })).toEqual([]);
    expect(await readyIn(store)).toEqual([]);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: retry('Longer.') });
    expect(await readyIn(store)).toEqual(['run', CHILD]);
    expect(await statusOf(store, outer)).toBe('suspended');
    expect(await readyIn(store)).toEqual([]);
    expect(works.count).toBe(2);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await statusOf(store, outer)).toBe('completed');
    expect(works.count).toBe(2);
    const spent = (await store.read('run')).flatMap(({ event }) =>
      event.type === 'task.reported' ? (event.tokens ?? 0) : [],
    );
    expect(spent.reduce((sum, one) => sum + one, 0)).toBe(6);
    for (const id of ['run', CHILD]) expect((await verifyRun(store, id)).problems).toEqual([]);
    expect(await readyIn(store)).toEqual([]);
    await store.close();
  });

  it('is suspended with the one that has started it, and so on', async () => {
    const store = await make();
    const { works, pipeline } = reviewed();
    const outer = around(around(pipeline, {}, 'middle'));
    expect(await statusOf(store, outer)).toBe('suspended');
    expect(await store.runs({ leased: true })).toEqual([]);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await readyIn(store)).toEqual(['run', GRANDCHILD, CHILD]);
    expect(await statusOf(store, outer)).toBe('completed');
    expect(works.count).toBe(1);
    await store.close();
  });

  it('is ready if the answer came after the child was suspended, and before the parent', async () => {
    const kept = await make();
    const { pipeline } = reviewed();
    let isAnswered = false;
    const store: RunStore = {
      ...kept,
      async suspend(lease, ...given) {
        if (lease.runId === 'run' && !isAnswered) {
          isAnswered = true;
          expect((await kept.run(CHILD))?.lease).toBeUndefined();
          await answerItem(kept, await onlyItem(kept), { type: 'decide', decision: approve() });
        }
        return kept.suspend(lease, ...given);
      },
    };
    expect(await statusOf(store, around(pipeline))).toBe('suspended');
    expect(await readyIn(store)).toEqual(['run', CHILD]);
    expect(await statusOf(store, around(pipeline))).toBe('completed');
    await kept.close();
  });
});

describe('a run whose task has started one', () => {
  it('ends at its deadline, and the question with it', async () => {
    const { clock, now, pass } = timed();
    const store = memoryStore({ now });
    const { pipeline } = reviewed();
    const outer = definePipeline({
      name: 'outer',
      limits: { deadlineMs: HOUR },
      phases: [phase('build', { tasks: [task('all', { pipeline: () => pipeline })] })],
    });
    expect(await statusOf(store, outer, { clock })).toBe('suspended');
    pass(HOUR - 1);
    expect(await readyIn(store)).toEqual([]);
    pass(1);
    expect(await readyIn(store)).toEqual(['run']);
    expect(await statusOf(store, outer, { clock })).toBe('exhausted');
    expect((await store.run(CHILD))?.status).toBe('cancelled');
    expect(await store.inbox({ open: true })).toEqual([]);
  });

  it('is suspended until the next try in that, if it is far away', async () => {
    const { clock, now, pass } = timed();
    const store = memoryStore({ now });
    let tries = 0;
    const write = task('write', {
      retry: { attempts: 3, backoff: { first: HOUR, max: HOUR } },
      run() {
        tries += 1;
        if (tries < 2) throw new Error('busy');
        return 1;
      },
    });
    const outer = around(definePipeline({ name: 'inner', phases: [phase('draft', { tasks: [write] })] }));
    expect(await statusOf(store, outer, { clock })).toBe('suspended');
    expect(await readyIn(store)).toEqual([]);
    pass(HOUR);
    expect(await readyIn(store)).toContain('run');
    expect(await statusOf(store, outer, { clock })).toBe('completed');
    expect(tries).toBe(2);
  });

  it('fails when the timeout of the task is over, however often it was suspended', async () => {
    const { clock, now, pass } = timed();
    const store = memoryStore({ now });
    const { works, pipeline } = reviewed();
    const outer = around(pipeline, { timeout: HOUR });
    expect(await statusOf(store, outer, { clock })).toBe('suspended');
    pass(HOUR / 2);
    expect(await statusOf(store, outer, { clock })).toBe('suspended');
    pass(HOUR / 2 - 1);
    expect(await readyIn(store)).toEqual([]);
    pass(1);
    expect(await readyIn(store)).toEqual(['run']);
    expect(await statusOf(store, outer, { clock })).toBe('failed');
    const failed = (await store.read('run')).flatMap(({ event }) => (event.type === 'task.failed' ? [event] : []));
    expect(failed[0]?.error.code).toBe('TASK_TIMEOUT');
    expect((await store.run(CHILD))?.status).toBe('cancelled');
    expect(works.count).toBe(1);
  });

  it('is cancelled with it, by a message to the suspended one', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    expect(await statusOf(store, around(pipeline))).toBe('suspended');
    await store.post({ runId: 'run', kind: 'cancel', body: 'enough', by: 'ann', time: Date.now() });
    expect(await readyIn(store)).toEqual(['run']);
    expect(await statusOf(store, around(pipeline))).toBe('cancelled');
    expect((await store.run(CHILD))?.status).toBe('cancelled');
    expect(await store.inbox({ open: true })).toEqual([]);
  });

  it.each([1, 2])(
    'is suspended while a limit of it lets no try begin %i levels below, and continued by its lifting',
    async (levels) => {
      const store = memoryStore();
      let works = 0;
      const spend = (name: string) =>
        task(name, {
          run({ report }) {
            works += 1;
            report({ tokens: 10 });
            return 1;
          },
        });
      const inner = definePipeline({
        name: 'inner',
        phases: [phase('one', { tasks: [spend('a')] }), phase('two', { after: ['one'], tasks: [spend('b')] })],
      });
      const outer = definePipeline({
        name: 'outer',
        limits: { tokens: 10 },
        policy: { onLimit: 'escalate' },
        phases: [
          phase('build', {
            tasks: [task('all', { pipeline: () => (levels === 1 ? inner : around(inner, {}, 'middle')) })],
          }),
        ],
      });
      expect(await statusOf(store, outer)).toBe('suspended');
      expect(works).toBe(1);
      expect(await store.runs({ leased: true })).toEqual([]);
      expect(await readyIn(store)).toEqual([]);
      // Resumed in vain, it begins nothing, and records the limit once.
      expect(await statusOf(store, outer)).toBe('suspended');
      expect(works).toBe(1);
      expect((await typesOf(store)).filter((type) => type === 'limit.reached')).toHaveLength(1);
      await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
      expect(await readyIn(store)).toEqual(['run']);
      expect(await statusOf(store, outer)).toBe('completed');
      expect(works).toBe(2);
      for (const { runId } of await store.runs()) expect((await verifyRun(store, runId)).problems).toEqual([]);
    },
  );

  it('is held while another task works', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    let release = (): void => undefined;
    const other = task('other', { run: () => new Promise((resolve) => (release = () => resolve(1))) });
    const build = phase('build', { tasks: [task('all', { pipeline: () => pipeline }), other] });
    const run = startRun(definePipeline({ name: 'outer', phases: [build] }), {
      store,
      runId: 'run',
      whileWaiting: 'suspend',
    });
    await until(async () => (await store.inbox({ open: true })).length === 1);
    await turns();
    expect((await store.run('run'))?.lease).toBeDefined();
    expect((await store.run(CHILD))?.lease).toBeDefined();
    release();
    expect((await run.result).status).toBe('suspended');
    expect(await store.runs({ leased: true })).toEqual([]);
  });

  it('is held if its store cannot tell the place of the latest message', async () => {
    const store: RunStore = Object.defineProperty({ ...memoryStore() }, 'lastMessage', { value: undefined });
    const { pipeline } = reviewed();
    const run = startRun(around(pipeline), { store, runId: 'run', whileWaiting: 'suspend' });
    await until(async () => (await store.inbox({ open: true })).length === 1);
    await turns();
    expect((await store.run('run'))?.lease).toBeDefined();
    await run.answer(await onlyItem(store), { type: 'decide', decision: approve() });
    expect((await run.result).status).toBe('completed');
    expect(await typesOf(store)).not.toContain('run.resumed');
  });

  it('is held by default, with the one that waits', async () => {
    const store = memoryStore();
    const { pipeline } = reviewed();
    const run = startRun(around(pipeline), { store, runId: 'run' });
    await until(async () => (await store.inbox({ open: true })).length === 1);
    await turns();
    expect(await store.runs({ leased: true })).toHaveLength(2);
    await run.answer(await onlyItem(store), { type: 'decide', decision: approve() });
    expect((await run.result).status).toBe('completed');
  });
});

// --- internal ---

/** A clock whose time the test passes. */
function timed() {
  let time = 1_000_000;
  const now = () => time;
  const clock = {
    now,
    setTimeout: (run: () => void, ms: number) => setTimeout(run, Math.min(ms, 2 ** 31 - 1)),
    clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  };
  return { clock, now, pass: (ms: number) => void (time += ms) };
}
