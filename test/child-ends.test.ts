/** Ends of runs that tasks have started: cancelled, orphaned, held elsewhere, changed, forked, tried again. */
import { describe, expect, it } from 'vitest';
import {
  cancelRun,
  definePipeline,
  forkRun,
  human,
  memoryStore,
  phase,
  PhasegateError,
  resumeAll,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  type Run,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { readRun } from '../src/store/read-run.ts';
import { keep } from './kept-run.ts';
import { idle, simulatedTime } from './rig.ts';

const CHILD = 'r/build/0/0/task/all';

const spend = task('spend', { run: ({ report }) => report({ tokens: 10 }) });

/** A pipeline that uses 10 tokens, and then asks a person. */
function asking(question = 'Good?') {
  const ask = task('ask', { run: human({ question }), description: question });
  return definePipeline({
    name: 'inner',
    phases: [phase('one', { tasks: [spend] }), phase('two', { after: ['one'], tasks: [ask] })],
  });
}

function outer(inner: Pipeline<unknown>) {
  return definePipeline({
    name: 'outer',
    phases: [phase('build', { tasks: [task('all', { pipeline: () => inner })] })],
  });
}

/** Tokens that the records of a run count. */
function spentOf(records: readonly RunRecord[]): number {
  return records.reduce((sum, { event }) => sum + (event.type === 'task.reported' ? (event.tokens ?? 0) : 0), 0);
}

async function asked(run: Run<unknown>): Promise<string> {
  for (let turn = 0; turn < 1000; turn++) {
    const [item] = run.inbox();
    if (item) return item.id;
    await idle();
  }
  throw new Error('Nothing was asked.');
}

/** A run that was left while its child asks a person. */
async function left(store = memoryStore()) {
  const run = startRun(outer(asking()), { store, runId: 'r' });
  await asked(run);
  run.suspend();
  await run.result;
  return store;
}

/** A pipeline that uses no person. */
const silent = definePipeline({ name: 'inner', phases: [phase('one', { tasks: [spend] })] });

describe('a run whose store fails at the end of its child', () => {
  const failed = new PhasegateError('STORE_FAILED', 'Cannot reach the store');

  it('takes the end that the store has if the store failed after the commit', async () => {
    const good = memoryStore();
    const store: RunStore = {
      ...good,
      append: async (batch, lease) => {
        await good.append(batch, lease);
        if (batch.runId === CHILD && batch.records.at(-1)?.event.type === 'run.ended') throw failed;
      },
    };
    const result = await startRun(outer(silent), { store, runId: 'r' }).result;
    expect(result.status).toBe('completed');
    expect(result.outputs).toEqual({ build: { all: { one: { spend: null } } } });
    expect(spentOf(await readRun(good, 'r'))).toBe(10);
  });

  it('is suspended and spends no try if the store cannot tell that end', async () => {
    const good = memoryStore();
    let isEnded = false;
    const store: RunStore = {
      ...good,
      append: async (batch, lease) => {
        await good.append(batch, lease);
        isEnded ||= batch.runId === CHILD && batch.info.status !== 'running';
      },
      run: async (runId) => {
        if (isEnded && runId === CHILD) throw failed;
        return good.run(runId);
      },
    };
    expect((await startRun(outer(silent), { store, runId: 'r' }).result).status).toBe('suspended');
    const before = await readRun(good, 'r');
    expect(before.map(({ event }) => event.type)).not.toContain('task.failed');

    const resumed = await resumeRun(good, 'r', outer(silent));
    expect((await resumed.result).status).toBe('completed');
    expect(spentOf(await readRun(good, 'r'))).toBe(10);
  });
});

describe('a run whose grandchild cannot be opened', () => {
  it('is suspended with its child, and goes on later', async () => {
    const store = memoryStore();
    const middle = definePipeline({
      name: 'middle',
      phases: [phase('build', { tasks: [task('all', { pipeline: () => asking() })] })],
    });
    const first = startRun(outer(middle), { store, runId: 'r' });
    await asked(first);
    first.suspend();
    await first.result;
    let isBroken = true;
    const broken: RunStore = {
      ...store,
      run(runId) {
        if (isBroken && runId.startsWith(encodeURIComponent(CHILD)))
          throw new PhasegateError('STORE_FAILED', 'Cannot reach the store');
        return store.run(runId);
      },
      // The child takes long to be let go.
      async release(lease) {
        for (let turn = 0; lease.runId === CHILD && turn < 50; turn++) await idle();
        await store.release(lease);
      },
    };
    const run = await resumeRun(broken, 'r', outer(middle), { whileWaiting: 'suspend' });
    expect((await run.result).status).toBe('suspended');
    // It does not wait for the person, as no process has received the answer.
    expect((await store.ready(['outer'], 10)).map(({ runId }) => runId)).toEqual(['r']);
    for (const id of ['r', CHILD]) {
      expect((await readRun(store, id)).map(({ event }) => event.type)).not.toContain('task.failed');
      expect(await store.run(id)).toMatchObject({ status: 'running', lease: undefined });
    }

    isBroken = false;
    const again = await resumeRun(broken, 'r', outer(middle));
    await again.answer(await asked(again), { type: 'value', value: 'Ada' });
    expect((await again.result).status).toBe('completed');
  });
});

describe('a run whose child cannot be opened', () => {
  it('is suspended with a warning if the definition of the child has changed', async () => {
    const store = await left();
    const run = await resumeRun(store, 'r', outer(asking('Really good?')));
    expect((await run.result).status).toBe('suspended');
    expect(await store.run('r')).toMatchObject({ status: 'running', lease: undefined });
    expect(await store.run(CHILD)).toMatchObject({ status: 'running', lease: undefined });
    const warned = (await readRun(store, 'r')).find(({ event }) => event.type === 'phase.warned');
    expect(warned?.event).toMatchObject({ code: 'RUN_CHANGED' });

    const again = await resumeRun(store, 'r', outer(asking()));
    await again.answer(await asked(again), { type: 'value', value: 'Ada' });
    expect((await again.result).status).toBe('completed');
  });

  it('waits until another process releases it', async () => {
    const store = await left();
    const lease = await store.acquire(CHILD, 'another process', 60_000);
    const time = simulatedTime();
    const run = await resumeRun(store, 'r', outer(asking()), { clock: time.clock });
    for (let second = 0; second < 3; second++) await time.pass(1000);
    expect([run.snapshot().status, run.inbox()]).toEqual(['running', []]);
    await store.release(lease);
    await time.pass(1000);
    await run.answer(await asked(run), { type: 'value', value: 'Ada' });
    expect((await run.result).status).toBe('completed');
  });
});

describe('a child', () => {
  it('is cancelled before its parent, so that none is left over', async () => {
    const store = await left();
    const order: string[] = [];
    const append = store.append.bind(store);
    const watched = Object.assign(store, {
      append: (...[batch, lease]: Parameters<typeof append>) => {
        if (batch.records.some(({ event }) => event.type === 'run.ended')) order.push(batch.runId);
        return append(batch, lease);
      },
    });
    await cancelRun(watched, 'r', 'No longer needed.');
    expect(order).toEqual([CHILD, 'r']);
    expect((await store.run(CHILD))?.status).toBe('cancelled');
  });

  it('is cancelled by resumeAll if its parent has ended', async () => {
    const before = await left();
    const child = await readRun(before, CHILD);
    await cancelRun(before, 'r');
    const store = memoryStore();
    await keep(store, await readRun(before, 'r'));
    await keep(store, child);
    expect(await store.run(CHILD)).toMatchObject({ status: 'running' });
    const { runs, failed } = await resumeAll(store, [outer(asking()), asking()]);
    expect([runs, failed]).toEqual([[], []]);
    expect(await store.run(CHILD)).toMatchObject({ status: 'cancelled' });
  });
});

describe('the usage of a child', () => {
  const inner = definePipeline({ name: 'inner', phases: [phase('one', { tasks: [spend] })] });

  it('is counted once in a fork of its parent, whose child is new', async () => {
    const store = memoryStore();
    const pipeline = outer(inner);
    await startRun(pipeline, { store, runId: 'r' }).result;
    const fork = await forkRun(store, 'r', { at: { phase: 'build' }, runId: 'f' });
    const result = await (await resumeRun(store, fork, pipeline)).result;
    expect(result).toMatchObject({ status: 'completed', metrics: { tokens: 10 } });
    expect(await store.run(CHILD.replace('r', 'f'))).toMatchObject({ status: 'completed', tokens: 10 });
  });

  it('is counted once if its task is tried again, which takes the same end', async () => {
    const store = memoryStore();
    let tries = 0;
    const all = task('all', {
      pipeline: () => inner,
      retry: { attempts: 3 },
      outcome: ({ status }) => {
        tries += 1;
        if (tries < 3) throw new Error('The network is down.');
        return status;
      },
    });
    const pipeline = definePipeline({ name: 'outer', phases: [phase('build', { tasks: [all] })] });
    const time = simulatedTime();
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    for (let turn = 0; turn < 50; turn++) await time.pass(60_000);
    expect(await run.result).toMatchObject({ status: 'completed', metrics: { tokens: 10 } });
    expect(tries).toBe(3);
    expect(await store.runs()).toHaveLength(2);
  });
});

describe('a run of a task that is stopped', () => {
  it('ends after the record of the reason is stored', async () => {
    const good = memoryStore();
    const stored: string[] = [];
    /** A store whose batches of the parent take long. */
    const store: RunStore = {
      ...good,
      async append(batch, lease) {
        for (let turn = 0; batch.runId === 'r' && turn < 20; turn++) await idle();
        await good.append(batch, lease);
        for (const { event } of batch.records) stored.push(`${batch.runId} ${event.type}`);
      },
    };
    let fail = (): void => undefined;
    const failing = task('failing', {
      retry: { attempts: 1 },
      async run({ report }) {
        await new Promise<void>((resolve) => (fail = resolve));
        report({ tokens: 1 });
        // The usage is on its way to the store.
        await idle();
        throw new Error('It does not work.');
      },
    });
    const build = phase('build', { tasks: [task('all', { pipeline: () => asking() }), failing] });
    const run = startRun(definePipeline({ name: 'outer', phases: [build] }), { store, runId: 'r' });
    await asked(run);
    fail();
    expect((await run.result).status).toBe('failed');
    const reason = stored.indexOf('r task.failed');
    expect(reason).toBeGreaterThan(0);
    expect(stored.slice(reason)).toContain(`${CHILD} run.ended`);
  });
});
