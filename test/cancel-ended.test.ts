import { expect, it } from 'vitest';
import { cancelRun, definePipeline, memoryStore, phase, retryRun, startRun, task, reject } from '../src/index.ts';

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
