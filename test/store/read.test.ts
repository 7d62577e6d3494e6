/** Whole runs read from a store, with the large values that are stored apart from their records. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, task, memoryStore, readRun } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunRecord } from '../../src/records.ts';

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

  it('gives the plan that the caller has for an equal one, and no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'phasegate-read-'));
    for (const store of [memoryStore(), sqliteStore(join(folder, 'runs.db'))]) {
      await startRun(pipeline, { store, runId: 'r', input: { plan: 'own' } }).result;
      const [plan, other] = [structuredClone(pipeline.plan), { ...pipeline.plan, name: 'q' }];
      const [first] = await store.read('r', 1, 1, plan);
      expect(first?.event.type === 'run.started' && first.event.plan).toBe(plan);
      const [same] = await store.read('r', 1, 1, other);
      expect(same).toEqual(first);
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('leaves a record whose plan is elsewhere as it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'phasegate-read-'));
    for (const store of [memoryStore(), sqliteStore(join(folder, 'runs.db'))]) {
      for (const [runId, event] of Object.entries({
        part: { input: { plan: pipeline.plan }, plan: null },
        later: { plan: null, tags: { plan: pipeline.plan } },
        key: { input: { 'the "plan': pipeline.plan }, plan: null },
        text: { input: ['"plan":', JSON.stringify(pipeline.plan)], plan: null },
      })) {
        const started = { type: 'run.started', fingerprint: '', ...event };
        const record = { runId, seq: 1, time: 1, event: started } as unknown as RunRecord;
        await store.append({ runId, records: [record], info: { ...LISTED, runId }, items: [], artifacts: [] });
        expect(await store.read(runId, 1, undefined, pipeline.plan)).toEqual([record]);
      }
      await store.close();
    }
    rmSync(folder, { recursive: true });
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
