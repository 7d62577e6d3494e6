import { expect, it } from 'vitest';
import {
  cancelRun,
  definePipeline,
  human,
  memoryStore,
  phase,
  retryRun,
  startRun,
  task,
  reject,
  escalate,
  type RunStore,
} from '../src/index.ts';

it('cancelRun() cancels a run that was left after it was tried again', async () => {
  const store = memoryStore();
  let asked = 0;
  const judge = task('judge', { run: () => (asked++ === 0 ? reject('no') : escalate('see for yourself')) });
  const work = task('work', { run: () => 1 });
  const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [work], review: { by: judge } })] });
  await startRun(pipeline, { store, runId: 'r' }).result;
  const again = await retryRun(store, 'r', pipeline);
  for await (const { event } of again) if (event.type === 'phase.escalated') break;
  again.suspend();
  await again.result;
  expect(await cancelRun(store, 'r')).toMatchObject({ status: 'cancelled' });
});

it('cancelRun() refuses a run that has ended, in its own words', async () => {
  const store = memoryStore();
  const work = task('work', { run: () => 1 });
  const pipeline = definePipeline({
    name: 'p',
    phases: [phase('a', { tasks: [work], review: { by: task('judge', { run: () => reject('no') }) } })],
  });
  await startRun(pipeline, { store, runId: 'r' }).result;
  const refused = {
    code: 'RUN_ENDED',
    message: expect.stringMatching(/^Cannot cancel run r as it has ended: rejected\nThere is nothing left/u) as string,
  };
  await expect(cancelRun(store, 'r')).rejects.toMatchObject(refused);

  const again = await retryRun(store, 'r', pipeline);
  await again.result;
  await expect(cancelRun(store, 'r')).rejects.toMatchObject(refused);
});

it('cancelRun() refuses a run that another process has ended meanwhile, in the same words', async () => {
  const store = memoryStore();
  const ask = task('ask', { run: human({ question: 'Which?' }) });
  const run = startRun(definePipeline({ name: 'p', phases: [phase('a', { tasks: [ask] })] }), { store, runId: 'r' });
  for await (const { event } of run) if (event.type === 'task.asked') break;
  run.suspend();
  await run.result;
  const late: RunStore = {
    ...store,
    async acquire(...args) {
      await cancelRun(store, 'r');
      return store.acquire(...args);
    },
  };
  await expect(cancelRun(late, 'r')).rejects.toMatchObject({
    code: 'RUN_ENDED',
    message: expect.stringMatching(/^Cannot cancel run r as it has ended: cancelled\nThere is nothing left/u) as string,
  });
});
