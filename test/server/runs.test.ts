/** Runs in the dashboard: their status, the possible actions, and the effect of each. */
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  human,
  phase,
  resumeRun,
  retryRun,
  startRun,
  submitRun,
  task,
  type Run,
} from '../../src/index.ts';
import type { ListedRun, RunStore } from '../../src/store.ts';
import type { DashboardActions } from '../../src/dashboard.ts';
import type { UiRun } from '../../src/server/api.ts';
import { ownStore, served, until, type Served } from './rig.ts';

describe('runs', () => {
  it('have a status, a holder, and possible actions', async () => {
    const { store } = await ownStore();
    const { get } = await served({ store, actions: resumingActions(store) });
    const runs = await ofEachStanding(store);
    const told = Object.fromEntries(
      (await listed(get)).map(({ runId, standing, worker, hung, gone, actions }) => [
        runId,
        { standing, worker, hung, gone, actions },
      ]),
    );
    const alone = { worker: null, hung: null, gone: null };
    expect(told).toEqual({
      completed: { standing: 'completed', ...alone, actions: ['fork'] },
      failed: { standing: 'failed', ...alone, actions: ['retry', 'fork'] },
      rejected: { standing: 'rejected', ...alone, actions: ['retry', 'fork'] },
      cancelled: { standing: 'cancelled', ...alone, actions: ['retry', 'fork'] },
      exhausted: { standing: 'exhausted', ...alone, actions: ['retry', 'fork'] },
      waiting: { standing: 'waiting', worker: 'desk 1', hung: null, gone: null, actions: ['cancel', 'fork'] },
      left: { standing: 'waiting', ...alone, actions: ['resume', 'cancel', 'fork'] },
      running: { standing: 'running', worker: 'desk 1', hung: null, gone: null, actions: ['cancel', 'fork'] },
      queued: { standing: 'queued', ...alone, actions: ['resume', 'cancel', 'fork'] },
      suspended: { standing: 'suspended', ...alone, actions: ['resume', 'cancel', 'fork'] },
    });
    const one = (await get('/api/runs/running')).body;
    expect(one).toEqual((await listed(get)).find(({ runId }) => runId === 'running'));

    expect(await ids(get, '?status=suspended,failed')).toEqual(['failed', 'suspended']);
    expect(await ids(get, '?status=queued')).toEqual(['queued']);
    expect(await ids(get, '?status=Completed')).toEqual(['completed']);
    expect(await ids(get, '?pipeline=fails')).toEqual(['failed']);
    expect(await ids(get, '?limit=9')).toHaveLength(9);
    expect((await listed(get, '?limit=2')).map(({ runId }) => runId)).toEqual(
      (await listed(get)).slice(0, 2).map(({ runId }) => runId),
    );
    for (const run of runs) run.cancel();
    await Promise.all(runs.map((run) => run.result));
  });

  it('that tasks have started name their parent, which finds them', async () => {
    const { store, get } = await served();
    const inner = definePipeline({ name: 'inner', phases: [phase('p', { tasks: [task('t', { run: () => 1 })] })] });
    const outer = definePipeline({
      name: 'outer',
      phases: [phase('a b', { tasks: [task('t', { pipeline: () => inner })] })],
    });
    for (const runId of ['o:1', 'other']) await startRun(outer, { store, runId }).result;
    const of = async (parent: string) =>
      (await listed(get, `?parent=${encodeURIComponent(parent)}`)).map((run) => [run.runId, run.parent]);
    expect(await of('o:1')).toEqual([['o%3A1/a%20b/0/0/task/t', 'o:1']]);
    expect(await of('none')).toEqual([]);
    expect((await get('/api/runs/other')).body).not.toHaveProperty('parent');
  });

  it('of a dead process can be resumed at once', async () => {
    const { store } = await ownStore();
    const stopped = startRun(slow, { store, runId: 'r', holder: 'desk 1' });
    await until(async () => (await store.run('r'))?.lease !== undefined);
    const gone = new Set<string>();
    const { get } = await served({ store, actions: resumingActions(store), isAlive: (holder) => !gone.has(holder) });
    expect((await get('/api/runs/r')).body).toMatchObject({ standing: 'running', worker: 'desk 1', gone: null });
    gone.add('desk 1');
    expect((await get('/api/runs/r')).body).toMatchObject({
      standing: 'suspended',
      worker: null,
      gone: 'desk 1',
      actions: ['resume', 'cancel', 'fork'],
    });
    stopped.cancel();
    await stopped.result;
  });

  it('offer fewer actions without pipelines, and none on a read-only dashboard', async () => {
    const { store } = await ownStore();
    const run = await suspended(store);
    const embedded = await served({ store });
    expect((await embedded.get('/api/session')).body).toMatchObject({
      actions: ['cancel'],
      user: 'dashboard',
      store: 'store',
    });
    expect((await embedded.get(`/api/runs/${run.id}`)).body).toMatchObject({ actions: ['cancel'] });
    for (const action of ['resume', 'retry', 'fork']) {
      const { status, body } = await embedded.post(`/api/runs/${run.id}/${action}`, action === 'fork' ? { at: 1 } : {});
      expect([status, body]).toEqual([
        403,
        {
          error: {
            code: 'REQUEST_REFUSED',
            message: `Cannot ${action} run ${run.id} as this dashboard has no pipelines`,
            hint: 'Pass `actions` to the server, or use phasegate ui.',
          },
        },
      ]);
    }
    const watched = await served({ store, readOnly: true, actions: resumingActions(store), storeName: 'mine' });
    expect((await watched.get('/api/session')).body).toMatchObject({ actions: [], store: 'mine' });
    expect((await watched.get(`/api/runs/${run.id}`)).body).toMatchObject({ actions: [] });
    expect(await store.runs()).toHaveLength(1);
  });
});

describe('cancel', () => {
  it('ends a run without a process, with the given reason', async () => {
    const { post, store } = await served({ user: 'ada' });
    const one = await suspended(store);
    expect(await post(`/api/runs/${one.id}/cancel`, { reason: 'Not needed' })).toMatchObject({
      status: 200,
      body: { run: { runId: one.id, standing: 'cancelled' } },
    });
    expect(await reasonOf(store, one.id)).toBe('Not needed');
    const other = await suspended(store);
    await post(`/api/runs/${other.id}/cancel`);
    expect(await reasonOf(store, other.id)).toBe('Cancelled by ada in the dashboard');
  });

  it('reaches the process of the run', async () => {
    const { post, store } = await served();
    const run = startRun(slow, { store, holder: 'desk 1' });
    await until(async () => (await store.run(run.id))?.lease !== undefined);
    expect(await post(`/api/runs/${run.id}/cancel`, { reason: 'Enough' })).toMatchObject({
      status: 200,
      body: { run: { standing: 'cancelled' } },
    });
    expect((await run.result).status).toBe('cancelled');
    expect(await reasonOf(store, run.id)).toBe('Enough');
  });

  it('ends a run whose process is dead', async () => {
    const { store } = await ownStore();
    const stopped = startRun(slow, { store, holder: 'desk 1' });
    await until(async () => (await store.run(stopped.id))?.lease !== undefined);
    const { post } = await served({ store, isAlive: (holder) => holder !== 'desk 1' });
    expect(await post(`/api/runs/${stopped.id}/cancel`)).toMatchObject({ body: { run: { standing: 'cancelled' } } });
    stopped.cancel();
    await stopped.result;
  });

  it('is refused for a run that has ended, and for an unknown one', async () => {
    const { post, store } = await served();
    const run = startRun(quick, { store });
    await run.result;
    expect(await post(`/api/runs/${run.id}/cancel`)).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_ENDED', message: `Cannot cancel run ${run.id} as it has ended: completed` } },
    });
    expect(await post('/api/runs/none/cancel')).toMatchObject({
      status: 404,
      body: { error: { code: 'RUN_UNKNOWN' } },
    });
  });
});

describe('resume and retry', () => {
  it('continue a run, once for all simultaneous requests', async () => {
    const { store } = await ownStore();
    const left = await suspended(store);
    const asked: string[] = [];
    let looks = 0;
    const watched: RunStore = {
      ...store,
      run(runId) {
        looks += 1;
        return store.run(runId);
      },
    };
    const actions = resumingActions(store, asked);
    const { post } = await served({
      store: watched,
      actions: {
        ...actions,
        async resume(run) {
          await until(() => looks >= 3);
          await actions.resume(run);
        },
      },
    });
    const answers = await Promise.all([1, 2, 3].map(() => post(`/api/runs/${left.id}/resume`)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { run: { runId: left.id } } });
    expect(asked).toEqual([`resume ${left.id}`]);

    const failed = startRun(fails, { store });
    await failed.result;
    expect(await post(`/api/runs/${failed.id}/retry`)).toMatchObject({ status: 200 });
    await until(async () => (await store.run(failed.id))?.status === 'failed');
    expect((await store.read(failed.id)).filter(({ event }) => event.type === 'run.ended')).toHaveLength(2);
  });

  it('are refused with the error of the run', async () => {
    const { store } = await ownStore();
    const { post } = await served({ store, actions: resumingActions(store) });
    const run = startRun(quick, { store });
    await run.result;
    expect(await post(`/api/runs/${run.id}/resume`)).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_ENDED' } },
    });
    const left = await suspended(store);
    expect(await post(`/api/runs/${left.id}/retry`)).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_NOT_ENDED' } },
    });
    expect(await post('/api/runs/none/resume')).toMatchObject({ status: 404 });
  });
});

describe('fork', () => {
  it('creates a run at a record or before a phase, and runs it on request', async () => {
    const { store } = await ownStore();
    const { post, get } = await served({ store, actions: resumingActions(store) });
    const run = startRun(quick, { store });
    await run.result;
    const fork = async (body: unknown) => {
      const { status, body: made } = await post(`/api/runs/${run.id}/fork`, body);
      return { status, ...(made as { readonly runId: string }) };
    };
    const one = await fork({ at: 3 });
    expect((await get(`/api/runs/${one.runId}`)).body).toMatchObject({ forkOf: run.id, seq: 3, standing: 'suspended' });
    const other = await fork({ at: { phase: 'a' }, run: true });
    await until(async () => (await store.run(other.runId))?.status === 'completed');
    expect(await fork({ at: 1000 })).toMatchObject({ status: 400, error: { code: 'FORK_INVALID' } });
    for (const more of [{}, { run: true }]) {
      expect(await fork({ at: { phase: 'as' }, ...more })).toMatchObject({
        status: 400,
        error: { code: 'FORK_INVALID', hint: 'Did you mean "a"? Its phases are a.' },
      });
    }
    expect(await store.runs()).toHaveLength(3);
  });

  it('is created even if it cannot run', async () => {
    const { store } = await ownStore();
    const fail = () => Promise.reject(new Error('of some kind'));
    const { post } = await served({ store, actions: { resume: fail, retry: fail } });
    const run = startRun(quick, { store });
    await run.result;
    const { status, body } = await post(`/api/runs/${run.id}/fork`, { at: 2, run: true });
    expect([status, body]).toMatchObject([200, { problem: { code: 'INTERNAL' } }]);
    expect(await store.runs()).toHaveLength(2);
  });
});

// --- internal ---

const quick = definePipeline({ name: 'quick', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
const slow = definePipeline({
  name: 'slow',
  phases: [
    phase('a', {
      tasks: [
        task('t', {
          run: ({ signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('over')))),
        }),
      ],
    }),
  ],
});
const fails = definePipeline({
  name: 'fails',
  phases: [phase('a', { tasks: [task('t', { run: () => Promise.reject(new Error('broken')) })] })],
});
const rejects = definePipeline({
  name: 'rejects',
  phases: [phase('a', { tasks: [task('t', { run: () => 1 })], review: () => 'REJECT: no' })],
});
const spends = definePipeline({
  name: 'spends',
  limits: { corrections: 0 },
  phases: [phase('a', { tasks: [task('t', { run: () => 1 })], review: () => 'RETRY: again' })],
});
const asks = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});

/** Creates a run of each status, with the status as its id. @returns Those that are running. */
async function ofEachStanding(store: RunStore): Promise<readonly Run<unknown>[]> {
  await startRun(quick, { store, runId: 'completed' }).result;
  await startRun(fails, { store, runId: 'failed' }).result;
  await startRun(rejects, { store, runId: 'rejected' }).result;
  await startRun(spends, { store, runId: 'exhausted' }).result;
  await suspended(store, 'suspended');
  await submitRun(store, quick, { runId: 'queued' });
  const cancelled = startRun(slow, { store, runId: 'cancelled' });
  await until(async () => ((await store.run('cancelled'))?.seq ?? 0) > 1);
  cancelled.cancel();
  await cancelled.result;
  const left = startRun(asks, { store, runId: 'left', attended: true });
  await until(async () => (await store.run('left'))?.waiting.length === 1);
  left.suspend();
  await left.result;
  const waiting = startRun(asks, { store, runId: 'waiting', attended: true, holder: 'desk 1' });
  await until(async () => (await store.run('waiting'))?.waiting.length === 1);
  const running = startRun(slow, { store, runId: 'running', holder: 'desk 1' });
  await until(async () => (await store.run('running'))?.lease !== undefined);
  return [waiting, running];
}

async function suspended(store: RunStore, runId?: string): Promise<Run<unknown>> {
  const run = startRun(slow, { store, ...(runId !== undefined && { runId }) });
  await until(async () => ((await store.run(run.id))?.seq ?? 0) > 1);
  run.suspend();
  await run.result;
  return run;
}

/** Returns actions that resume runs in this process. */
function resumingActions(store: RunStore, asked: string[] = []): DashboardActions {
  const begin = async (how: string, { runId, pipeline }: ListedRun, go: typeof resumeRun) => {
    asked.push(`${how} ${runId}`);
    await go(store, runId, [quick, slow, fails].find(({ name }) => name === pipeline) ?? quick);
  };
  return {
    resume: (run) => begin('resume', run, resumeRun),
    retry: (run) => begin('retry', run, retryRun),
  };
}

async function reasonOf(store: RunStore, runId: string): Promise<string | undefined> {
  const end = (await store.read(runId)).findLast(({ event }) => event.type === 'run.ended')?.event;
  return end?.type === 'run.ended' ? end.reason : undefined;
}

async function listed(get: Served['get'], query = ''): Promise<readonly UiRun[]> {
  return ((await get(`/api/runs${query}`)).body as { readonly runs: readonly UiRun[] }).runs;
}

async function ids(get: Served['get'], query: string): Promise<readonly string[]> {
  return (await listed(get, query)).map(({ runId }) => runId).toSorted();
}
