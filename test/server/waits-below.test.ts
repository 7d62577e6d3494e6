/** Runs that wait for a person only in the run of a task. */
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import type { Change, UiRun } from '../../src/server/api.ts';
import type { RunStore } from '../../src/store.ts';
import { served, until } from './rig.ts';

const ask = phase('ask', { tasks: [task('who', { run: human({ question: 'Who?' }) })] });
const inner = definePipeline({ name: 'inner', phases: [ask] });
const middle = definePipeline({
  name: 'middle',
  phases: [phase('m', { tasks: [task('in', { pipeline: () => inner })] })],
});
const outer = definePipeline({
  name: 'outer',
  phases: [phase('o', { tasks: [task('in', { pipeline: () => middle })] })],
});

const MIDDLE = 'r/o/0/0/task/in';
const INNER = 'r%2Fo%2F0%2F0%2Ftask%2Fin/m/0/0/task/in';

describe('a run that waits for a person two runs below it', () => {
  it('waits in lists, names the run below, and has no alert', async () => {
    const { store, get, post } = await served();
    await begun(store);
    const waits = { standing: 'waiting', waiting: ['o'], waitsIn: [INNER] };
    expect((await get('/api/runs/r')).body).toMatchObject(waits);
    const runsAt = async (path: string) => ((await get(path)).body as { readonly runs: readonly UiRun[] }).runs;
    const byId = async (path: string) => new Map((await runsAt(path)).map((one) => [one.runId, one]));
    for (const path of ['/api/runs?status=waiting', '/api/runs?id=r', '/api/runs?newer=1'])
      expect((await byId(path)).get('r')).toMatchObject(waits);
    expect((await byId('/api/runs')).get(MIDDLE)).toMatchObject({
      standing: 'waiting',
      waiting: ['m'],
      waitsIn: [INNER],
    });
    expect((await byId('/api/runs')).get(INNER)).toMatchObject({ standing: 'waiting', waiting: ['ask'] });
    expect((await byId('/api/runs')).get(INNER)).not.toHaveProperty('waitsIn');
    expect((await get('/api/troubles')).body).toEqual({ troubles: [] });

    // Only the run below changes now.
    const latest = Math.max(...(await store.runs()).map(({ updatedAt }) => updatedAt));
    await until(() => Date.now() > latest + 1);
    expect(await post(`/api/runs/${encodeURIComponent(INNER)}/cancel`)).toMatchObject({ status: 200 });
    expect((await store.run('r'))?.updatedAt).toBeLessThanOrEqual(latest);
    const newer = await byId(`/api/runs?newer=${latest}`);
    expect(newer.get('r')).toMatchObject({ standing: 'suspended', waiting: [] });
    expect(newer.get('r')).not.toHaveProperty('waitsIn');
  });

  it('is told to readers of changes once the run below changes', async () => {
    const { store, post, events } = await served();
    await begun(store);
    const stream = events('/api/changes');
    await stream.next();
    await post(`/api/runs/${encodeURIComponent(INNER)}/cancel`);
    const changed = new Set<string>();
    for await (const { data } of stream) {
      for (const id of (data as Change).runs) changed.add(id);
      if (changed.has(INNER)) break;
    }
    expect([...changed].toSorted()).toEqual(['r', MIDDLE, INNER].toSorted());
  });
});

// --- internal ---

/** Starts the run, and leaves it as it waits. */
async function begun(store: RunStore): Promise<void> {
  const run = startRun(outer, { store, runId: 'r', attended: true });
  await until(async () => (await store.inbox({ open: true })).length === 1);
  run.suspend();
  await run.result;
}
