/** Runs that tasks start: their questions in a program, and their dependence on the run of the task. */
import { describe, expect, it } from 'vitest';
import {
  cancelRun,
  definePipeline,
  escalate,
  forkRun,
  human,
  memoryStore,
  phase,
  resumeRun,
  retryRun,
  runPipeline,
  startRun,
  task,
  type Pipeline,
} from '../src/index.ts';
import { idle } from './rig.ts';

/** A pipeline whose only task runs another one. */
function outer(inner: Pipeline<unknown>) {
  return definePipeline({
    name: 'outer',
    phases: [phase('build', { tasks: [task('all', { pipeline: () => inner })] })],
  });
}

const CHILD = 'r/build/0/0/task/all';

const spend = task('spend', { run: ({ report }) => report({ tokens: 3 }) });

const ask = task('ask', { run: human({ question: 'Good?' }) });
const asking = phase('one', { tasks: [ask] });
const escalating = phase('one', { tasks: [spend], review: () => escalate('See.') });
const spending = phase('one', { tasks: [spend] });
const limits = { tokens: 2 };

describe('runPipeline', () => {
  it.each([
    ['a task', definePipeline({ name: 'inner', phases: [asking] }), 'phase "one" waits'],
    ['a gate', definePipeline({ name: 'inner', phases: [escalating] }), 'phase "one" waits'],
    [
      'a limit',
      definePipeline({ name: 'inner', phases: [spending], limits, policy: { onLimit: 'escalate' } }),
      'the limit tokens waits',
    ],
  ])('cancels if %s of a run that a task has started asks a person', async (_, inner, expected) => {
    await expect(runPipeline(outer(inner))).rejects.toThrow(expected);
  });

  it('fails if a run that a task has started spends a limit that stops it', async () => {
    const inner = definePipeline({ name: 'inner', phases: [spending], limits });
    await expect(runPipeline(outer(inner))).rejects.toMatchObject({ result: { status: 'failed' } });
  });
});

describe('a run that a task has started', () => {
  it('is neither resumed nor retried alone, and can be forked', async () => {
    const store = memoryStore();
    const inner = definePipeline({ name: 'inner', phases: [asking] });
    const run = startRun(outer(inner), { store, runId: 'r' });
    for await (const { event } of run) if (event.type === 'task.started') break;
    while (run.inbox().length === 0) await idle();
    run.suspend();
    await run.result;
    await expect(resumeRun(store, CHILD, inner)).rejects.toMatchObject({
      code: 'RUN_HAS_PARENT',
      message: expect.stringContaining('Resume run r, which resumes this one as well.') as string,
    });
    await expect(retryRun(store, CHILD, inner)).rejects.toMatchObject({ code: 'RUN_HAS_PARENT' });
    const forked = await resumeRun(store, await forkRun(store, CHILD, { at: { phase: 'one' } }), inner);
    forked.cancel();
    expect((await forked.result).status).toBe('cancelled');

    await cancelRun(store, 'r');
    await expect(retryRun(store, CHILD, inner)).rejects.toThrow('Retry run r.');
    // Without its parent it is a run like any other.
    await store.remove('r');
    const alone = await retryRun(store, CHILD, inner);
    alone.cancel();
    await alone.result;
  });
});
