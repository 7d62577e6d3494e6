/** Runs whose holder is alive but has let its lease expire: they stay with the holder for every request. */
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, resumeRun, startRun, task } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import type { UiRun, UiAlert } from '../../src/server/api.ts';
import { ownStore, served, until, type Served } from './rig.ts';

describe('a run whose holder lives and does not answer', () => {
  it('is reported so, and is neither resumed nor retried nor cancelled', async () => {
    const { store } = await ownStore();
    await lapsed(store);
    const { get, post, asked } = await desk(store, () => true);
    expect(await shown(get)).toEqual({
      standing: 'waiting',
      worker: null,
      hung: 'desk 1',
      gone: null,
      actions: ['fork'],
    });
    expect(await troubles(get)).toEqual([
      {
        runId: 'r',
        pipeline: 'asks',
        phase: null,
        code: 'HUNG',
        severity: 'problem',
        seq: (await store.run('r'))?.seq,
        since: (await store.run('r'))?.updatedAt,
        found: 'desk 1 works on the run, but does not respond',
        advice:
          'The process was suspended, or a handler blocks its event loop. Wait until it continues, or end it. Then resume the run.',
      },
    ]);
    const before = await store.read('r');
    const ended = new Date((await store.run('r'))?.lapsed?.expiresAt ?? 0).toISOString();
    for (const action of ['cancel', 'retry', 'resume']) {
      expect([action, await post(`/api/runs/r/${action}`)]).toEqual([
        action,
        {
          status: 409,
          body: {
            error: {
              code: 'RUN_LEASED',
              message: `Cannot take run r from desk 1 as that process is alive but does not respond: its lease expired at ${ended}`,
              hint: 'It is suspended, or a handler blocks its event loop. Wait until it continues, or end it.',
            },
          },
        },
      ]);
    }
    expect(asked).toEqual([]);
    expect(await store.read('r')).toEqual(before);
    expect(await store.messages('r')).toEqual([]);
  });

  it('is not resumed by an answer, which the holder applies later', async () => {
    const { store } = await ownStore();
    await lapsed(store);
    const { post, asked } = await desk(store, () => true);
    const [item] = await store.inbox({ open: true });
    expect(
      await post(`/api/inbox/${item?.id}/answer`, { nonce: item?.nonce, reply: { type: 'value', value: 'blue' } }),
    ).toEqual({ status: 200, body: { state: 'waiting' } });
    expect(asked).toEqual([]);
    expect(await store.messages('r')).toHaveLength(1);
  });

  it.each([
    ['it cannot be told whether the holder lives', undefined, null],
    ['the holder is gone', false, 'desk 1'],
  ])('can be resumed if %s', async (_, isAlive, gone) => {
    const { store } = await ownStore();
    await lapsed(store);
    const { get, post, asked } = await desk(store, () => isAlive);
    expect(await shown(get)).toEqual({
      standing: 'waiting',
      worker: null,
      hung: null,
      gone,
      actions: ['resume', 'cancel', 'fork'],
    });
    expect((await troubles(get)).map(({ code }) => code)).toEqual(gone === null ? [] : ['GONE']);
    expect(await post('/api/runs/r/resume')).toMatchObject({ status: 200 });
    expect(asked).toEqual(['r']);
    expect(await post('/api/runs/r/cancel')).toMatchObject({ status: 200, body: { run: { standing: 'cancelled' } } });
  });

  it('can be resumed at once if the holder is dead, although its lease has not expired', async () => {
    const { store } = await ownStore();
    await suspended(store);
    await store.acquire('r', 'desk 1', 1_000_000);
    const { get, post, asked } = await desk(store, () => false);
    expect(await shown(get)).toMatchObject({ gone: 'desk 1', actions: ['resume', 'cancel', 'fork'] });
    expect(await post('/api/runs/r/resume')).toMatchObject({ status: 200 });
    expect(asked).toEqual(['r']);
    expect(await post('/api/runs/r/cancel')).toMatchObject({ status: 200, body: { run: { standing: 'cancelled' } } });
  });
});

describe('a request for something missing', () => {
  it('names what was requested', async () => {
    const { get, post } = await desk((await ownStore()).store, () => undefined);
    const told = async (answer: ReturnType<Served['get']>) => {
      const { status, body } = await answer;
      return [status, (body as { readonly error: { readonly message: string } }).error.message];
    };
    const run = 'as the store has no run with that id';
    expect(await told(get('/api/runs/nope'))).toEqual([404, `Cannot show run nope ${run}`]);
    for (const action of ['resume', 'retry', 'cancel'])
      expect(await told(post(`/api/runs/nope/${action}`))).toEqual([404, `Cannot ${action} run nope ${run}`]);
    expect(await told(post('/api/runs/nope/fork', { at: 1 }))).toEqual([404, `Cannot fork run nope ${run}`]);
    const item = 'item nope:1 as run nope has no item with that id';
    expect(await told(get('/api/inbox/nope:1'))).toEqual([404, `Cannot show ${item}`]);
    expect(
      await told(post('/api/inbox/nope:1/answer', { nonce: 'n', reply: { type: 'decide', decision: 'APPROVE' } })),
    ).toEqual([404, `Cannot answer ${item}`]);
  });
});

describe('a list of runs', () => {
  it('refuses an unknown status, with the message of phasegate ls', async () => {
    const { get } = await desk((await ownStore()).store, () => undefined);
    expect(await get('/api/runs?status=Failed,bogus')).toEqual({
      status: 400,
      body: {
        error: {
          code: 'INPUT_INVALID',
          message: 'Cannot list runs by status "bogus"',
          hint: 'Use one of queued, running, waiting, suspended, completed, rejected, failed, cancelled, exhausted, damaged; or several, separated by commas.',
        },
      },
    });
  });
});

// --- internal ---

const pipeline = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});

/** Starts a run that waits for a person, and leaves it. */
async function suspended(store: RunStore): Promise<void> {
  const run = startRun(pipeline, { store, runId: 'r', attended: true });
  await until(() => run.inbox().length === 1);
  run.suspend();
  await run.result;
}

/** Creates a run whose holder has not renewed its lease in time. */
async function lapsed(store: RunStore): Promise<void> {
  await suspended(store);
  await store.acquire('r', 'desk 1', 1);
  await until(async () => (await store.run('r'))?.lapsed !== undefined);
}

/** Serves the store. @returns A client, and the runs that the dashboard resumes. */
async function desk(store: RunStore, isAlive: (holder: string) => boolean | undefined) {
  const asked: string[] = [];
  const go = async ({ runId }: { readonly runId: string }) => {
    asked.push(runId);
    await resumeRun(store, runId, pipeline, { attended: true, holder: 'desk 2' });
  };
  const alive = (holder: string) => (holder === 'desk 1' ? isAlive(holder) : true);
  return { ...(await served({ store, isAlive: alive, actions: { resume: go, retry: go } })), asked };
}

async function shown(get: Served['get']) {
  const { standing, worker, hung, gone, actions } = (await get('/api/runs/r')).body as UiRun;
  return { standing, worker, hung, gone, actions };
}

async function troubles(get: Served['get']): Promise<readonly UiAlert[]> {
  return ((await get('/api/troubles')).body as { readonly troubles: readonly UiAlert[] }).troubles;
}
