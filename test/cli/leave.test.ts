/** The moment that a command leaves a run which waits for people. */
import { describe, expect, it } from 'vitest';
import { suspendWhenIdle } from '../../src/cli/run/unattended.ts';
import { definePipeline, human, phase, resumeRun, startRun, task, type Run, memoryStore } from '../../src/index.ts';
import { idle } from '../rig.ts';

const boss = (name: string) => task(name, { run: human({ question: 'May it go out?' }) });

/** A reviewer that answers when the test says so. */
function model() {
  let answer = (): void => undefined;
  const state = { isAborted: false, asked: 0 };
  const reviewer = task('model', {
    run: ({ signal }) =>
      new Promise<string>((resolve) => {
        state.asked += 1;
        answer = () => resolve('APPROVE');
        signal.addEventListener('abort', () => {
          state.isAborted = true;
          resolve('APPROVE');
        });
      }),
  });
  return { reviewer, state, answer: () => answer() };
}

function reviewedBy(...by: readonly ReturnType<typeof boss>[]) {
  return definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })], review: { by } })] });
}

/** Leaves the run as soon as only people can continue it. */
function watched(run: Run<unknown>): void {
  const leaver = suspendWhenIdle(run, false);
  run.events$.subscribe((record) => leaver.apply(record));
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await idle();
}

describe('a run whose gate asks a person and a model', () => {
  it('is left once the model has answered, and not before', async () => {
    const { reviewer, state, answer } = model();
    const store = memoryStore();
    const pipeline = reviewedBy(boss('boss'), reviewer);
    const run = startRun(pipeline, { store, runId: 'r' });
    watched(run);
    await turns();
    expect(run.snapshot().status).toBe('running');
    answer();
    expect((await run.result).status).toBe('suspended');
    expect(state.isAborted).toBe(false);

    const again = await resumeRun(store, 'r', pipeline);
    watched(again);
    // The answer of the model is recorded: it is not asked again.
    expect((await again.result).status).toBe('suspended');
    expect(state).toEqual({ isAborted: false, asked: 1 });
  });
});

describe('a run whose gate asks two people', () => {
  it('is left at once, and again after one of them has answered', async () => {
    const store = memoryStore();
    const pipeline = reviewedBy(boss('boss'), boss('other'));
    const run = startRun(pipeline, { store, runId: 'r' });
    watched(run);
    expect((await run.result).status).toBe('suspended');

    const again = await resumeRun(store, 'r', pipeline);
    const [item] = again.inbox();
    await again.answer(item?.id ?? '', { type: 'decide', decision: 'APPROVE' });
    watched(again);
    expect((await again.result).status).toBe('suspended');
  });
});
