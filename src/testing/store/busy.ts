/**
 * Cases: a store that another program keeps busy.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { definePipeline, phase, task } from '../../model/definition/define.ts';
import { startRun } from '../../runtime/start.ts';
import { answerTo, batchOf, openItem, pictureOf, refuses, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. A store that waits, instead of refusing, never ends them. */
export const busyCases: Readonly<Record<string, CaseBody>> = {
  'refuses to write with STORE_BUSY, keeps nothing of it, and takes the same later': async ({ store, hold }) => {
    await store.append(batchOf('r', 1, { items: [openItem('r', 1)] }));
    await store.append(batchOf('old', 1));
    const lease = await store.acquire('r', 'me', 1000);
    const before = await pictureOf(store, 'r');
    const writes = [
      () => store.append(batchOf('r', 2), lease),
      () => store.renew(lease, 1000),
      () => store.acquire('s', 'me', 1000),
      () => store.post(answerTo('r', 'r:1')),
      () => store.remove('old'),
      () => store.release(lease),
    ];
    const free = await hold();
    for (const write of writes) await refuses('STORE_BUSY', write);
    await free();
    same(await pictureOf(store, 'r'), before);
    assert.equal((await store.runs()).length, 2);
    for (const write of writes) await write();
    same(await store.read('r'), batchOf('r', 1, { count: 2 }).records);
    assert.equal((await store.messages('r')).length, 1);
    assert.equal((await store.runs()).length, 1);
  },

  'completes a run once it is free again': async ({ store, hold }) => {
    const run = async () => {
      const free = await hold();
      await refuses('STORE_BUSY', () => store.acquire('s', 'me', 1000));
      // The run stores the end of this task after it has returned.
      void turns(20).then(free);
      return 'done';
    };
    const pipeline = definePipeline({ name: 'busy', phases: [phase('a', { tasks: [task('t', { run })] })] });
    const { status, error } = await startRun(pipeline, { store, runId: 'r' }).result;
    assert.equal(status, 'completed', error?.message);
    assert.equal((await store.run('r'))?.status, 'completed');
  },
};

// --- internal ---

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}
