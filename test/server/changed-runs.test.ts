/** Requests for what has changed: some runs of the list, and several runs in one stream. */
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import type { UiRun } from '../../src/server/api.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { joined, nextRead, type RunList } from '../../visualizations/dashboard/src/runs/run-list.ts';
import { served, until, type Served, type StreamEvent } from './rig.ts';

describe('the list of runs', () => {
  it('is read by ids, without those that were removed', async () => {
    const { store, get } = await served();
    for (const runId of ['a', 'b', 'c']) await ended(store, runId);
    await until(async () => !(await store.run('c'))?.lease);
    await store.remove('c');
    const { body } = await get('/api/runs?id=a&id=c&id=none');
    expect(body).toMatchObject({ runs: [{ runId: 'a', standing: 'completed' }] });
    expect(body).not.toHaveProperty('count');
    const many = Array.from({ length: 101 }, (_, at) => `id=${at}`).join('&');
    expect((await get(`/api/runs?${many}`)).status).toBe(400);
  });

  it('is read from a time on, with the runs that a process has, and the number of all', async () => {
    const { store, get } = await served();
    await ended(store, 'old');
    const held = startRun(asks, { store, runId: 'held', attended: true });
    await until(async () => (await store.inbox({ open: true })).length === 1);
    const latest = Math.max(...(await store.runs()).map(({ updatedAt }) => updatedAt));
    // Records of the next runs are later, as clocks of tests are those of the machine.
    await until(() => Date.now() > latest + 1);
    await ended(store, 'new');
    const { body } = await get(`/api/runs?newer=${latest}&id=old`);
    const { runs, count } = body as { readonly runs: readonly UiRun[]; readonly count: number };
    expect(runs.map(({ runId }) => runId).toSorted()).toEqual(['held', 'new', 'old']);
    expect(count).toBe(3);
    expect(JSON.stringify((await get(`/api/runs?newer=${latest}`)).body)).not.toContain('"runId":"old"');
    held.cancel('the test is over');
    await held.result;
  });

  it('is the same after each step as if it was read anew', async () => {
    const { store, get } = await served();
    for (const runId of ['a', 'b', 'c']) await ended(store, runId);
    let known: RunList | undefined;
    const step = async (changed: readonly string[] | null) => {
      const next = nextRead(known, changed);
      if (next) known = joined(known, next, (await get(next.path)).body as never, 1);
      return next?.path;
    };
    const anew = async () => ((await get('/api/runs')).body as { readonly runs: readonly UiRun[] }).runs;
    expect(await step(null)).toBe('/api/runs?limit=10000');
    expect(await step([])).toBeUndefined();
    await ended(store, 'd');
    expect(await step(['d'])).toBe('/api/runs?id=d');
    expect(known?.runs).toEqual(await anew());
    await until(async () => !(await store.run('b'))?.lease);
    await store.remove('b');
    expect(await step(['b'])).toBe('/api/runs?id=b');
    expect(known?.runs).toEqual(await anew());
    await ended(store, 'e');
    expect(await step(null)).toMatch(/^\/api\/runs\?newer=\d+$/u);
    expect(known?.runs).toEqual(await anew());
    // Something was removed that nobody has told: everything is read.
    await until(async () => !(await store.run('a'))?.lease);
    await store.remove('a');
    await step(null);
    expect(known).toBeUndefined();
    expect(await step(null)).toBe('/api/runs?limit=10000');
    expect(known?.runs).toEqual(await anew());
  });
});

describe('a stream of several runs', () => {
  it('has the records of each after the last that the reader has, under names with its id', async () => {
    const { store, events } = await served();
    await ended(store, 'a:b');
    await ended(store, 'c');
    const heard: StreamEvent[] = [];
    const stream = events('/api/changes?each=a%3Ab&after=2&each=c&after=0&each=later&after=0');
    const rest = read(stream, heard);
    const of = (name: string) => heard.filter((event) => event.name === name).map(({ data }) => data);
    await until(() => ['a%3Ab', 'c', 'later'].every((run) => of(`caught-up ${run}`).length > 0));
    await until(() => of('changed').length > 0);
    const records = (run: string) => of(`records ${run}`).flatMap((data) => data as readonly RunRecord[]);
    expect(records('a%3Ab')).toEqual((await store.read('a:b')).slice(2));
    expect(records('c')).toEqual(await store.read('c'));
    await ended(store, 'later');
    const { length } = await store.read('later');
    await until(() => records('later').length === length);
    expect(heard.find(({ name }) => name === 'records c')?.id).toBe(String((await store.read('c')).length));
    void stream.return(undefined);
    await Promise.race([rest, Promise.resolve()]);
  });

  it('takes 32 runs at most, and a number for each', async () => {
    const { get } = await served();
    const many = Array.from({ length: 33 }, (_, at) => `each=${at}&after=0`).join('&');
    expect((await get(`/api/changes?${many}`)).status).toBe(400);
    expect((await get('/api/changes?each=a')).status).toBe(400);
    expect((await get('/api/changes?each=a&after=-1')).status).toBe(400);
  });
});

// --- internal ---

const asks = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});
const short = definePipeline({ name: 'short', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

async function ended(store: RunStore, runId: string): Promise<void> {
  await startRun(short, { store, runId }).result;
  await until(async () => !(await store.run(runId))?.lease);
}

async function read(stream: ReturnType<Served['events']>, heard: StreamEvent[]): Promise<void> {
  for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }) heard.push(event);
}
