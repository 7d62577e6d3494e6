/** Alerts about unfinished runs, as the API returns them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun, submitRun } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import type { UiAlert } from '../../src/server/api.ts';
import { fake, held, never } from '../rig.ts';
import { pipelineOf } from '../browser/runs.ts';
import { ownStore, served, until, type Served } from './rig.ts';

describe('GET /api/troubles', () => {
  it('returns alerts of unfinished runs, and none of ended ones', async () => {
    const { store, get } = await served();
    const draft = fake('draft', { outputs: ['one', never], verdicts: ['RETRY: shorter'] });
    await begun(store, 'ended', [fake('draft', { verdicts: ['RETRY: shorter'] })]);
    await begun(store, 'short', [draft]);
    await until(async () => (await typesOf(store, 'short')).filter((type) => type === 'task.started').length === 2);
    const seq = (await typesOf(store, 'short')).indexOf('phase.retrying') + 1;
    const [record] = await store.read('short', seq, 1);
    expect(await told(get)).toEqual([
      {
        runId: 'short',
        pipeline: 'short',
        code: 'RETRIES_SPENT',
        severity: 'notice',
        phase: 'draft',
        seq,
        since: record?.time,
        found: 'The gate has used 1 of 1 retries',
        advice: 'If it is not approved now, it is rejected.',
      },
    ]);
  });

  it('reads each record once, and none of ended runs', async () => {
    const { store } = await ownStore();
    const reads: (readonly unknown[])[] = [];
    const watched: RunStore = { ...store, read: (...args) => (reads.push(args), store.read(...args)) };
    const { get } = await served({ store: watched });
    const first = held();
    const second = held();
    await begun(store, 'ended', [fake('a')]);
    await begun(store, 'live', [fake('a', { outputs: [first.script] }), fake('b', { outputs: [second.script] })]);
    await until(async () => (await typesOf(store, 'live')).filter((type) => type === 'task.started').length === 2);
    const { length } = await store.read('live');
    await Promise.all([get('/api/troubles'), get('/api/troubles')]);
    expect(reads).toEqual([['live', 1, 500]]);
    first.release('done');
    await until(async () => (await typesOf(store, 'live')).includes('phase.approved'));
    await told(get);
    await told(get);
    expect(reads).toEqual([
      ['live', 1, 500],
      ['live', length + 1, 500],
    ]);
    second.release('done');
    await until(async () => (await store.run('live'))?.status === 'completed');
    await told(get);
    expect(reads).toHaveLength(2);
  });

  it('reports runs without a process: left, queued, or by a dead one; not those that wait for a person', async () => {
    const gone = new Set<string>();
    const { store, get } = await served({ isAlive: (holder) => !gone.has(holder) });
    const asking = startRun(pipelineOf('asks', [fake('draft', { verdicts: ['ESCALATE: look'] })]), {
      store,
      runId: 'asks',
    });
    await until(() => asking.inbox().length === 1);
    asking.suspend();
    await asking.result;
    const left = startRun(pipelineOf('left', [fake('draft', { outputs: [never] })]), { store, runId: 'left' });
    await until(async () => (await typesOf(store, 'left')).includes('task.started'));
    left.suspend();
    await left.result;
    await begun(store, 'lost', [fake('draft', { outputs: [never] })], 'desk 1');
    await until(async () => (await store.run('lost'))?.lease !== undefined);
    expect(await about(get)).toEqual([['left', 'LEFT', 'notice', 'No process works on the run']]);
    gone.add('desk 1');
    expect(await about(get)).toEqual([
      ['lost', 'GONE', 'problem', 'desk 1 worked on the run, and ended without releasing it'],
      ['left', 'LEFT', 'notice', 'No process works on the run'],
    ]);
    await submitRun(store, pipelineOf('submitted', [fake('draft')]), { runId: 'submitted' });
    expect((await about(get))[0]).toEqual(['submitted', 'QUEUED', 'notice', 'No worker has taken the run yet']);
  });
});

// --- internal ---

type Get = Served['get'];

/** Starts a run, which ends with the test. */
async function begun(store: RunStore, runId: string, phases: readonly ReturnType<typeof fake>[], holder = 'desk') {
  const run = startRun(pipelineOf(runId, phases, { policy: { maxRetries: 1 } }), { store, runId, holder });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await until(async () => (await store.run(runId)) !== undefined);
  if (runId === 'ended') await run.result;
}

async function told(get: Get): Promise<readonly UiAlert[]> {
  return ((await get('/api/troubles')).body as { readonly troubles: readonly UiAlert[] }).troubles;
}

async function about(get: Get): Promise<readonly (readonly string[])[]> {
  return (await told(get)).map(({ runId, code, severity, found }) => [runId, code, severity, found]);
}

async function typesOf(store: RunStore, runId: string): Promise<readonly string[]> {
  return (await store.read(runId)).map(({ event }) => event.type);
}
