/**
 * Objects that a run holds while its task works: a process may have thousands of such runs.
 *
 * @module
 */
import { setFlagsFromString, queryObjects } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { definePipeline, memoryStore, phase, startRun, task } from '../src/index.ts';
import { machineOf } from '../src/machines.ts';

describe('runs that wait for a task', () => {
  it('hold few collections', async () => {
    const { started, pipeline, end } = held();
    const store = memoryStore();
    await begin(1);
    const before = collections();
    const runs = await begin(50);
    const after = collections();
    expect({
      maps: Math.round((after.maps - before.maps) / 50),
      sets: Math.round((after.sets - before.sets) / 50),
    }).toEqual({ maps: 10, sets: 8 });
    end();
    for (const run of runs) expect((await run.result).status).toBe('completed');

    async function begin(count: number) {
      const begun = Array.from({ length: count }, () => startRun(pipeline, { store }));
      await started(count);
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
  let count = 0;
  const one = phase('one', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' });
  const run = (): Promise<void> => {
    count += 1;
    tell();
    return ended;
  };
  const pipeline = definePipeline({
    name: 'p',
    phases: [one, phase('two', { after: [one], tasks: [task('t', { run })] })],
  });
  async function started(wanted: number): Promise<void> {
    while (count < wanted) await new Promise<void>((resolve) => (tell = resolve));
    count -= wanted;
  }
  return { pipeline, started, end: () => end() };
}

function collections(): { readonly maps: number; readonly sets: number } {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return { maps: queryObjects(Map, { format: 'count' }), sets: queryObjects(Set, { format: 'count' }) };
}
