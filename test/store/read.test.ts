/** Whole runs read from a store, with the large values that are stored apart from their records. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, resumeRun, startRun, task, memoryStore, readRun } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunRecord } from '../../src/records.ts';
import { referenceIn } from '../../src/model/events/large-values.ts';
import { searchRuns } from '../../src/runtime/records/search-runs.ts';
import { readPlans } from '../../src/store/read-run.ts';
import type { PackedRecord, RunStore } from '../../src/store.ts';

const LARGE = 'x'.repeat(20_000);

/** The summary of a run of one record. */
const LISTED = {
  pipeline: 'p',
  fingerprint: '',
  status: 'running',
  startedAt: 1,
  updatedAt: 1,
  seq: 1,
  approved: 0,
  phases: 0,
  costUsd: 0,
  tokens: 0,
  waiting: [],
} as const;

const pipeline = definePipeline({
  name: 'p',
  phases: [
    phase('draft', {
      tasks: [
        task('write', {
          run: ({ report }) => {
            report({ artifact: { name: 'notes', content: [LARGE] } });
            return { text: LARGE };
          },
        }),
        task('count', { run: () => 1 }),
      ],
    }),
  ],
});

/** A pipeline whose plan is stored separately. */
const wideOf = (first: () => Promise<unknown>, more: readonly string[] = []) =>
  definePipeline({
    name: 'wide',
    phases: [
      ...Array.from({ length: 100 }, (_, at) => phase(`p${at}`, { tasks: [task('work', { run: () => at })] })),
      phase('first', { tasks: [task('work', { run: first })] }),
      ...more.map((name) => phase(name, { tasks: [task('work', { run: () => name })] })),
    ],
  });
const wide = wideOf(() => Promise.resolve('done'));

/** Wraps a store, and lists the hashes of the contents that are read. */
function watching(store: RunStore): { readonly watched: RunStore; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const artifact: RunStore['artifact'] = (hash) => {
    asked.push(hash);
    return store.artifact(hash);
  };
  return { watched: { ...store, artifact }, asked };
}

describe('readRun()', () => {
  it('returns every record as it was published, with its large values', async () => {
    const store = memoryStore();
    const run = startRun(pipeline, { store, runId: 'r', input: { brief: LARGE } });
    const said: RunRecord[] = [];
    for await (const record of run) said.push(record);
    expect(await readRun(store, 'r')).toEqual(said);
    const large = said.filter((record) => JSON.stringify(record).includes(LARGE)).map(({ event }) => event.type);
    expect(large).toEqual(['run.started', 'task.reported', 'task.completed', 'phase.approved']);
    expect(JSON.stringify(await store.read('r'))).not.toContain(LARGE);
  });

  it('returns a range of them', async () => {
    const store = memoryStore();
    const run = startRun(pipeline, { store, runId: 'r', input: { brief: LARGE } });
    await run.result;
    const all = await readRun(store, 'r');
    expect(await readRun(store, 'r', 3, 2)).toEqual(all.slice(2, 4));
  });

  it('reads a plan that runs share, and keeps it as long as one of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'phasegate-read-'));
    for (const store of [memoryStore(), sqliteStore(join(folder, 'runs.db'))]) {
      const hashes: string[] = [];
      for (const runId of ['r', 's']) {
        const run = startRun(wide, { store, runId });
        const said: RunRecord[] = [];
        for await (const record of run) said.push(record);
        expect(await readRun(store, runId)).toEqual(said);
        const [first] = await store.read(runId, 1, 1);
        if (first?.event.type === 'run.started') hashes.push(referenceIn(first.event.plan) ?? 'none');
      }
      const [hash = '', other] = hashes;
      expect(other).toBe(hash);
      expect(await store.artifact(hash)).toBe(JSON.stringify(wide.plan));
      await store.remove('r');
      expect((await readRun(store, 's', 1, 1))[0]?.event).toMatchObject({ plan: wide.plan });
      await store.remove('s');
      expect(await store.artifact(hash)).toBeUndefined();
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('reads no records of a run that is removed meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'phasegate-read-'));
    for (const store of [memoryStore(), sqliteStore(join(folder, 'runs.db'))]) {
      const leaving: RunStore = {
        ...store,
        read: async (...given) => {
          const records = await store.read(...given);
          await store.remove('r');
          return records;
        },
      };
      const readers: Readonly<Record<string, () => Promise<unknown>>> = {
        whole: () => readRun(leaving, 'r'),
        plans: () => readPlans(leaving, 'r'),
        search: async () => {
          const { hits, unreadable } = await searchRuns(leaving, { text: 'nowhere' });
          return [...hits, ...unreadable];
        },
      };
      for (const [name, read] of Object.entries(readers)) {
        await startRun(wide, { store, runId: 'r', input: LARGE }).result;
        expect(await read(), name).toEqual([]);
        expect(await store.runs()).toEqual([]);
      }
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('searches a run without reading its plan', async () => {
    const store = memoryStore();
    await startRun(wide, { store, runId: 'r', input: `${LARGE} here` }).result;
    const [first] = await store.read('r', 1, 1);
    if (first?.event.type !== 'run.started') throw new Error('The run has not begun.');
    const { watched, asked } = watching(store);
    expect(await searchRuns(watched, { text: 'here' })).toMatchObject({ hits: [{ seq: 1, in: 'input' }], next: null });
    expect(asked).toEqual([referenceIn(first.event.input)]);
  });

  it('stores a plan of few phases in its record', async () => {
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r' }).result;
    expect((await store.read('r', 1, 1))[0]?.event).toMatchObject({ plan: pipeline.plan });
  });

  it('resumes a run without reading a plan that has not changed', async () => {
    const store = memoryStore();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const waiting = wideOf(() => {
      begin();
      return new Promise(() => undefined);
    });
    const run = startRun(waiting, { store, runId: 'r' });
    await begun;
    run.suspend();
    await run.result;
    const { watched, asked } = watching(store);
    const done = () => Promise.resolve('done');
    await expect(resumeRun(watched, 'r', wideOf(done, ['more']))).rejects.toMatchObject({ code: 'RUN_CHANGED' });
    expect(asked).toHaveLength(1);
    expect((await (await resumeRun(watched, 'r', wideOf(done))).result).status).toBe('completed');
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['a plan that is none', { plan: '{"name":"p"}' }, /^Cannot read a plan as the content \w{64} is none/u],
    ['a plan that is no JSON', { plan: 'no JSON' }, /^Cannot read a value as the content \w{64} is no JSON/u],
    ['an input that is no JSON', { input: 'no JSON' }, /^Cannot read a value as the content \w{64} is no JSON/u],
  ])('refuses %s', async (_what, contents, problem) => {
    const store = memoryStore();
    const artifacts = Object.values(contents).map((content) => ({
      hash: createHash('sha256').update(content).digest('hex'),
      content,
    }));
    const [refers] = artifacts.map(({ hash }) => ({ 'phasegate:artifact': hash }));
    const event = { type: 'run.started', plan: pipeline.plan, fingerprint: '', input: null, edition: 1 } as const;
    const fields = Object.fromEntries(Object.keys(contents).map((name) => [name, refers]));
    const records: readonly PackedRecord[] = [{ runId: 'r', seq: 1, time: 1, event: { ...event, ...fields } }];
    await store.append({ runId: 'r', records, info: { ...LISTED, runId: 'r' }, items: [], artifacts });
    await expect(readRun(store, 'r')).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringMatching(problem) as string,
    });
  });

  it('names the missing content', async () => {
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r', input: 1 }).result;
    const poor = { ...store, artifact: () => Promise.resolve(undefined) };
    await expect(readRun(poor, 'r')).rejects.toThrow(
      /^Cannot read record \d of run r as the content \w{64} that it refers to is missing/u,
    );
  });
});
