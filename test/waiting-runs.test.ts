/**
 * Objects that a run holds while its task works: a process may have thousands of such runs.
 *
 * @module
 */
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { definePipeline, memoryStore, phase, startRun, task } from '../src/index.ts';
import { machineOf } from '../src/machines.ts';

describe('runs that wait for a task', () => {
  it('hold few collections', async () => {
    const wall = held();
    const store = memoryStore();
    await begin(1);
    const before = collections();
    const runs = await begin(50);
    const after = collections();
    // The collector may take some of another test in between, so this is a bound.
    expect(Math.round((after.maps - before.maps) / 50)).toBeLessThanOrEqual(10);
    expect(Math.round((after.sets - before.sets) / 50)).toBeLessThanOrEqual(8);
    wall.end();
    for (const run of runs) expect((await run.result).status).toBe('completed');

    async function begin(count: number) {
      const begun = Array.from({ length: count }, () => startRun(wall.pipeline, { store }));
      await wall.started(count);
      return begun;
    }
  });

  it('hold no options of their actors', () => {
    const { pipeline } = held();
    const actor = createActor(machineOf(pipeline), { id: 'r', input: { run: 'r', plan: pipeline.plan } }).start();
    expect(actor.options).toEqual({});
    expect(actor.getSnapshot().status).toBe('active');
    actor.stop();
  });
});

// --- internal ---

/** Creates a pipeline whose last task works until the end is called. */
function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let tell: () => void = () => undefined;
  let left = 0;
  const one = phase('one', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' });
  const run = async (): Promise<void> => {
    left -= 1;
    if (left === 0) tell();
    await ended;
  };
  const two = phase('two', { after: [one], tasks: [task('t', { run })] });
  return {
    pipeline: definePipeline({ name: 'p', phases: [one, two] }),
    /** Resolves when as many more tasks work. */
    async started(count: number): Promise<void> {
      left += count;
      if (left > 0) await new Promise<void>((resolve) => (tell = resolve));
    },
    end: () => end(),
  };
}

function collections(): { readonly maps: number; readonly sets: number } {
  return { maps: queryObjects(Map, { format: 'count' }), sets: queryObjects(Set, { format: 'count' }) };
}
