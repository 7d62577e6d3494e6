/** Cancelling of stored runs without their pipelines. */
import { expect, it } from 'vitest';
import { cancelRun, definePipeline, memoryStore, phase, startRun, task } from '../src/index.ts';

it('refuses to cancel a run that has ended, in words about cancelling', async () => {
  const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
  const store = memoryStore();
  await startRun(pipeline, { store, runId: 'r' }).result;
  const refused = cancelRun(store, 'r');
  await expect(refused).rejects.toMatchObject({ code: 'RUN_ENDED', hint: 'There is nothing left to cancel.' });
  await expect(refused).rejects.toThrow('Cannot cancel run r as it has ended: completed');
});
