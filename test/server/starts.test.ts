/** Runs that take long to resume: clients are told so, the run resumes once, and its page shows the result. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { definePipeline, human, phase, resumeRun, startRun, task } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { ownStore, served, until } from './rig.ts';

const pipeline = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});

/** The timeout of tests that wait for ten seconds, in milliseconds. */
const LONG = { timeout: 240_000 };

describe('a run that takes long to resume', LONG, () => {
  it('is starting until it runs, also for later requests', async () => {
    const { store } = await ownStore();
    const slow = slowly(() => resumeRun(store, 'r', pipeline, { attended: true }));
    const { get, post } = await served({ store, actions: slow });
    const item = await left(store);
    const [asked, again, answered] = await Promise.all([
      post('/api/runs/r/resume'),
      post('/api/runs/r/resume'),
      post(`/api/inbox/${item?.id}/answer`, { nonce: item?.nonce, reply: { type: 'value', value: 1 } }),
    ]);
    const starting = { runId: 'r', standing: 'waiting', start: { state: 'starting' }, actions: ['cancel', 'fork'] };
    expect(asked).toMatchObject({ status: 202, body: { run: starting } });
    expect(again).toEqual(asked);
    expect(answered).toEqual({ status: 200, body: { state: 'starting' } });
    expect(slow.resume).toHaveBeenCalledTimes(1);

    slow.proceed();
    await until(async () => (await store.run('r'))?.status === 'completed');
    await until(async () => JSON.stringify((await get('/api/runs/r')).body).includes('"worker":null'));
    expect((await get('/api/runs/r')).body).not.toHaveProperty('start');
  });

  it('shows the reason for its failure to all clients, until it runs', async () => {
    const { store } = await ownStore();
    const slow = slowly(() => Promise.reject(new PhasegateError('RUN_CHANGED', 'Cannot resume r', { hint: 'Do so.' })));
    const { get, post, events } = await served({ store, actions: slow });
    await left(store);
    expect((await post('/api/runs/r/resume')).status).toBe(202);
    const changes = events('/api/changes');
    await changes.next();
    slow.proceed();
    expect((await changes.next()).value).toMatchObject({ data: { runs: ['r'] } });
    await changes.return(undefined);
    expect((await get('/api/runs/r')).body).toMatchObject({
      start: { state: 'failed', problem: { code: 'RUN_CHANGED', message: 'Cannot resume r', hint: 'Do so.' } },
      actions: ['resume', 'cancel', 'fork'],
    });

    // Later events are more recent than the failure.
    const run = await resumeRun(store, 'r', pipeline, { attended: true });
    run.suspend();
    await run.result;
    expect((await get('/api/runs/r')).body).not.toHaveProperty('start');
  });

  it('does not keep the dashboard from closing, and its client is told the status', async () => {
    const { store } = await ownStore();
    const slow = slowly(() => Promise.resolve());
    const { dashboard, post } = await served({ store, actions: slow });
    await left(store);
    const asked = post('/api/runs/r/resume');
    await until(() => slow.resume.mock.calls.length === 1);
    await dashboard.close();
    expect(await asked).toMatchObject({ status: 202, body: { run: { start: { state: 'starting' } } } });
  });
});

it('that is refused soon reports so to its client only', async () => {
  const { store } = await ownStore();
  const refused = new PhasegateError('RUN_CHANGED', 'Cannot resume r');
  const { get, post } = await served({ store, actions: { resume: () => Promise.reject(refused), retry: vi.fn() } });
  await left(store);
  expect(await post('/api/runs/r/resume')).toEqual({
    status: 409,
    body: { error: { code: 'RUN_CHANGED', message: 'Cannot resume r' } },
  });
  expect((await get('/api/runs/r')).body).not.toHaveProperty('start');
});

// --- internal ---

/** Leaves a run `r` that waits for a person and has no process. @returns Its item. */
async function left(store: RunStore) {
  const run = startRun(pipeline, { store, runId: 'r', attended: true });
  await until(async () => (await store.inbox({ open: true })).length === 1);
  run.suspend();
  await run.result;
  return (await store.inbox({ open: true }))[0];
}

/** Delays an action until the test permits it. */
function slowly(begin: () => Promise<unknown>) {
  let proceed = (): void => undefined;
  const free = new Promise<void>((resolve) => (proceed = resolve));
  onTestFinished(() => proceed());
  const go = vi.fn(() => free.then(begin).then(() => undefined));
  return { resume: go, retry: go, proceed };
}
