/**
 * Transactions of a stored run. Each is one sync of the disk, so that a run alone is as fast as they are few.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { definePipeline, memoryStore, phase, startRun, task } from '../src/index.ts';
import type { RunStore } from '../src/store.ts';

it('stores a chain in one batch before each task and each review, and one for the end', async () => {
  const done: string[] = [];
  const names = ['a', 'b', 'c'];
  const pipeline = definePipeline({
    name: 'chain',
    phases: names.map((name, index) =>
      phase(name, {
        after: names.slice(Math.max(0, index - 1), index),
        tasks: [task('work', { run: async () => done.push(`task ${name}`) })],
        review: async () => {
          done.push(`review ${name}`);
          return 'APPROVE';
        },
      }),
    ),
  });
  const good = memoryStore();
  const store: RunStore = {
    ...good,
    append(batch, lease) {
      done.push('batch');
      return good.append(batch, lease);
    },
  };
  expect((await startRun(pipeline, { store }).result).status).toBe('completed');
  expect(done).toEqual([...names.flatMap((name) => ['batch', `task ${name}`, 'batch', `review ${name}`]), 'batch']);
});
