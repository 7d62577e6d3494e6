/** Large values of runs on Restate: kept once, within the messages of a real server, and refused before they are not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, human, phase, task } from '../../src/index.ts';
import { answerItem, type Reply } from '../../src/inbox.ts';
import { restateRuns, type RestateRuns } from '../../src/restate.ts';
import { MOST_BYTES } from '../../src/restate/run-size.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';
import { packRecord } from '../../src/model/events/large-values.ts';
import { plain, recordsOnSqlite } from './compare.ts';
import { serverMissing, startRestate, startWorker, type RestateServer, type Worker } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

/** Ten phases in a row, each with a value of nearly a tenth of what a run may keep. Each reads that of the phase before. */
const long = definePipeline({
  name: 'long',
  phases: Array.from({ length: 10 }, (_, at) =>
    phase(`p${at}`, {
      after: at === 0 ? [] : [`p${at - 1}`],
      tasks: [
        task('work', {
          run: ({ inputs }) => `${JSON.stringify(inputs).length} ${String(at).repeat(0.075 * MOST_BYTES)}`,
        }),
      ],
      review: {
        by: task('editor', { run: ({ attempt }) => (at === 4 && attempt === 0 ? 'RETRY: Same.' : 'APPROVE') }),
      },
    }),
  ),
});

/** Two values of a size that the input gives, in two bytes per character. */
const two = definePipeline({
  name: 'two',
  input: z.number(),
  phases: ['é', 'ü'].map((letter, at, all) =>
    phase(letter, {
      after: all.slice(0, at),
      tasks: [task('work', { run: ({ input }) => letter.repeat(Number(input) / 2) })],
    }),
  ),
});

/** A short value, or one that nearly fills the run, and a person who may edit it. */
const one = definePipeline({
  name: 'one',
  input: z.string(),
  phases: [
    phase('a', {
      tasks: [task('work', { run: ({ input }) => (input === 'large' ? 'v'.repeat(MOST_BYTES - 300_000) : 'short') })],
      review: { by: task('owner', { run: human({ question: 'Good?' }) }) },
    }),
    phase('b', { after: ['a'], tasks: [task('work', { run: () => 'end' })] }),
  ],
});

/** A task whose run returns what its input says. */
const parent = definePipeline({
  name: 'parent',
  input: z.number(),
  phases: [
    phase('a', {
      mode: 'sequential',
      tasks: ['x', 'y', 'z'].map((name) => task(name, { pipeline: () => leaf, input: ({ input }) => Number(input) })),
    }),
  ],
});
const leaf = definePipeline({
  name: 'leaf',
  input: z.number(),
  phases: [phase('a', { tasks: [task('work', { run: ({ input }) => 'v'.repeat(Number(input)) })] })],
});

describe.skipIf(missing !== undefined)('large values on Restate', () => {
  let server: RestateServer;
  let worker: Worker;
  let runs: RestateRuns;
  let store: RunStore;
  const folder = mkdtempSync(join(tmpdir(), 'restate-size-'));

  beforeAll(async () => {
    server = await startRestate();
    store = sqliteStore(join(folder, 'runs.db'));
    worker = await startWorker({ pipelines: [long, one, two, parent, leaf], store });
    await server.register(worker.uri);
    runs = restateRuns({ ingress: server.ingress });
  }, 60_000);

  afterAll(async () => {
    await worker.stop();
    await server.remove();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('reach the next phases, the client and the store, nearly up to the limit', { timeout: 300_000 }, async () => {
    await runs.start(long, { runId: 'long' });
    await expect.poll(async () => (await runs.get('long')).status, SLOWLY).toBe('completed');
    const packed = (await runs.records('long')).map((record) => packRecord(record).record);
    expect(plain(packed)).toEqual(plain(await recordsOnSqlite(long, 'long')));
    await expect.poll(async () => (await store.run('long'))?.status, SLOWLY).toBe('completed');
    expect(plain(await store.read('long'))).toEqual(plain(packed));
    expect(await bytesKept('long')).toBeLessThan(MOST_BYTES);
  });

  it.each([
    [0.6, 'ü'],
    [5, 'é'],
  ])('end the run if two of %d times the most do not fit', { timeout: 300_000 }, async (size, failing) => {
    const runId = `two-${size}`;
    await runs.start(two, { runId, input: size * MOST_BYTES });
    await expect.poll(async () => (await runs.get(runId)).status, SLOWLY).toBe('failed');
    const { result } = await runs.get(runId);
    expect(result.phases[failing]?.error).toMatchObject({ code: 'RUN_TOO_LARGE' });
    expect(await bytesKept(runId)).toBeLessThan(MOST_BYTES);
  });

  it(
    'are refused as an input, and as an answer, whether given here or in the store',
    { timeout: 300_000 },
    async () => {
      const large = 'v'.repeat(MOST_BYTES);
      const code = 'RUN_TOO_LARGE';
      await expect(runs.start(one, { runId: 'no', input: large })).rejects.toMatchObject({ code });
      await expect(runs.get('no')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
      await runs.start(one, { runId: 'asks', input: 'short' });
      await expect.poll(async () => (await runs.get('asks')).inbox.length, SLOWLY).toBe(1);
      const [item] = (await runs.get('asks')).inbox;
      const edit: Reply = { type: 'decide', decision: 'APPROVE', outputs: { work: large } };
      await expect(runs.answer('asks', item?.id ?? '', edit)).rejects.toMatchObject({ code });
      await expect.poll(async () => (await store.item(item?.id ?? ''))?.id, SLOWLY).toBe(item?.id);
      await answerItem(store, item?.id ?? '', edit);
      await expect
        .poll(async () => (await runs.records('asks')).at(-1)?.event, SLOWLY)
        .toMatchObject({
          type: 'item.changed',
          change: 'refused',
        });
      // The refused answer has opened the item again, with another id.
      const [again] = (await runs.get('asks')).inbox;
      await runs.answer('asks', again?.id ?? '', { type: 'decide', decision: 'APPROVE' });
      await expect.poll(async () => (await runs.get('asks')).status, SLOWLY).toBe('completed');
    },
  );

  it('keep no person from deciding, even if there is no room for more', { timeout: 300_000 }, async () => {
    await runs.start(one, { runId: 'full', input: 'large' });
    await expect.poll(async () => (await runs.get('full')).inbox.length, SLOWLY).toBe(1);
    const [item] = (await runs.get('full')).inbox;
    await runs.answer('full', item?.id ?? '', {
      type: 'decide',
      decision: 'APPROVE',
      outputs: { work: 'w'.repeat(400_000) },
    });
    await expect.poll(async () => (await runs.get('full')).status, SLOWLY).toBe('completed');
  });

  it('of runs of tasks fail the task in whose run they do not fit', { timeout: 300_000 }, async () => {
    await runs.start(parent, { runId: 'parent', input: 0.4 * MOST_BYTES });
    await expect.poll(async () => (await runs.get('parent')).status, SLOWLY).toBe('failed');
    const { phases } = (await runs.get('parent')).result;
    expect(phases['a']?.error?.message).toContain('is most');
  });

  /** Counts the bytes that Restate has of a run. */
  async function bytesKept(runId: string): Promise<number> {
    const rows = await server.query(
      `select sum(octet_length(value_utf8)) as bytes from state where service_key = '${runId}' and service_name = 'phasegate-run'`,
    );
    return Number(rows[0]?.['bytes']);
  }
});

// --- internal ---

/** Each look reads all values of a run. */
const SLOWLY = { interval: 500, timeout: 240_000 };
