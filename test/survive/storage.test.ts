/**
 * Runs whose store becomes unwritable: full, read-only, or at a file size limit. They stop there, and resume from
 * there once the store is writable again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  phase,
  PhasegateError,
  resumeRun,
  startRun,
  task,
  type Run,
  type RunResult,
  memoryStore,
  readRun,
} from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connectionOf } from '../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { storeOn } from '../../src/store/sqlite/store.ts';
import { begin } from './kill/begin.ts';
import { bundle, makeFolder } from './kill/bundle.ts';
import { linesOf, survivor, type Effects } from './kill/pipeline.ts';
import { SLEEP_MS } from './kill/sleep.ts';
import { commitsOf, completedIn } from './kill/sweep.ts';

let folder = '';
let plain: Attempt;
beforeAll(async () => {
  folder = makeFolder();
  plain = await attempt(memoryStore(), memoryEffects());
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a store that refuses all batches after some number', () => {
  const problems = {
    full: new PhasegateError('STORE_FULL', 'Cannot append as the disk finds no more room'),
    'read-only': new PhasegateError('STORE_READ_ONLY', 'Cannot append as the disk may not be written'),
  };
  it.each([
    ['full', 'nothing of it is kept'],
    ['read-only', 'nothing of it is kept'],
    ['full', 'it is kept, and said not to be'],
  ] as const)(
    'stops the run there with nothing lost, wherever that is: %s, and %s',
    async (kind, how) => {
      let batches = 0;
      for (let nth = 1; nth === 1 || nth <= batches; nth++) {
        const late = { ms: 0 };
        const good = memoryStore({ now: () => Date.now() + late.ms });
        const effects = memoryEffects();
        const bad = unwritable(good, nth, problems[kind], how !== 'nothing of it is kept');
        const first = await attempt(bad.store, effects);
        if (!bad.failed()) break;
        batches = nth + 1;
        expect(first.result).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } });
        expect(first.result.error?.cause).toBe(`PhasegateError: ${problems[kind].message}`);
        const kept = await readRun(good, 'r');
        // A run whose very first batch is refused still publishes its start.
        const seen = nth === 1 ? [] : first.seen;
        expect(kept.slice(0, seen.length)).toEqual(seen);
        if (how === 'nothing of it is kept') expect(kept).toHaveLength(seen.length);
        const begun = [...effects.keys];

        // The store is writable again, and the lease of the first process has expired.
        late.ms = SLEEP_MS;
        if (kept.length > 0 && kept.at(-1)?.event.type !== 'run.ended') {
          const second = await attempt(good, effects, 'resume');
          expect(second.result.status).toBe('completed');
        } else if (kept.length === 0) {
          expect(begun).toEqual([]);
          continue;
        }
        const records = await readRun(good, 'r');
        expect(records.slice(0, kept.length)).toEqual(kept);
        expect(commitsOf(records)).toEqual(commitsOf(plain.seen));
        const done = completedIn(kept);
        expect(effects.keys.slice(begun.length).filter((key) => done.has(key))).toEqual([]);
      }
      // Enough batches must occur, or the test proves nothing.
      expect(batches).toBeGreaterThan(10);
    },
    120_000,
  );
});

describe('a database that becomes read-only during a run', () => {
  it.each([3, 8, 15])('stops the run without losses: in batch %i', async (nth) => {
    const path = join(folder, `read-only-${nth}.sqlite`);
    const db = openDatabase({ path, readOnly: false });
    const late = { ms: 0 };
    const good = storeOn(connectionOf(db, { path, readOnly: false }), () => Date.now() + late.ms);
    let count = 0;
    const store: RunStore = {
      ...good,
      append(batch, lease) {
        count += 1;
        if (count === nth) db.exec('PRAGMA query_only = 1');
        return good.append(batch, lease);
      },
    };
    const effects = memoryEffects();
    const first = await attempt(store, effects);
    expect(first.result).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } });
    expect(first.result.error?.cause).toContain('may not be written');
    const kept = await readRun(good, 'r');
    expect(kept).toEqual(first.seen);
    db.exec('PRAGMA query_only = 0');
    late.ms = SLEEP_MS;
    expect((await attempt(good, effects, 'resume')).result.status).toBe('completed');
    expect(commitsOf(await readRun(good, 'r'))).toEqual(commitsOf(plain.seen));
    await good.close();
  });
});

describe.skipIf(process.platform === 'win32')('a store whose file is removed during a run', () => {
  it('is reported as missing, without advice to repair it', async () => {
    const path = join(folder, 'removed.sqlite');
    const store = sqliteStore(path);
    const pipeline = definePipeline({
      name: 'article',
      phases: [phase('draft', { tasks: [task('write', { run: () => rmSync(path) })] })],
    });
    const { status, error } = await startRun(pipeline, { store, runId: 'r' }).result;
    await store.close();
    expect(status).toBe('failed');
    expect(error?.message).toMatchInlineSnapshot(`
      "Cannot continue run r as its store refused 3 records
      Restore the store, then resume the run: all its published records were stored there. If they are lost, start another run.
      Docs: docs/errors.md#STORE_FAILED"
    `);
    expect(error?.cause).toContain(`${path} was removed`);
  });
});

describe('a process with a file size limit', () => {
  it.each([160, 224, 288])(
    'stops its run without losses: %i KiB of a file',
    async (kib) => {
      const program = await bundle(folder);
      const place = join(folder, `limit-${kib}`);
      mkdirSync(place);
      const [file, effects, acknowledged] = ['runs.sqlite', 'effects', 'acknowledged'].map((one) =>
        join(place, one),
      ) as [string, string, string];
      for (const one of [effects, acknowledged]) writeFileSync(one, '');
      const store = sqliteStore(file);
      const args = (skew: number) => [process.execPath, program, file, effects, acknowledged, String(skew), 'never'];
      // The unit of ulimit is a block of 512 bytes.
      const limited = `ulimit -f ${kib * 2} && exec "$@"`;
      const first = await begin(['/bin/sh', '-c', limited, 'sh', ...args(0)], store).result();
      expect(first).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } });
      expect(first.error?.cause).toMatch(
        /^PhasegateError: Cannot append to run r as .*runs\.sqlite could not be used: /u,
      );
      const kept = await readRun(store, 'r');
      expect(Number(linesOf(acknowledged).at(-1))).toBe(kept.length);
      const begun = linesOf(effects).length;

      expect((await begin(args(SLEEP_MS), store).result()).status).toBe('completed');
      const records = await readRun(store, 'r');
      expect(records.slice(0, kept.length)).toEqual(kept);
      expect(commitsOf(records)).toEqual(commitsOf(plain.seen));
      const done = completedIn(kept);
      expect(
        linesOf(effects)
          .slice(begun)
          .filter((key) => done.has(key)),
      ).toEqual([]);
      await store.close();
    },
    60_000,
  );
});

// --- internal ---

interface Attempt {
  readonly result: RunResult;
  /** Every published record. */
  readonly seen: readonly RunRecord[];
}

/** Works on the run as far as possible. */
async function attempt(store: RunStore, effects: Effects, how: 'start' | 'resume' = 'start'): Promise<Attempt> {
  const pipeline = survivor(effects);
  const run: Run<unknown> =
    how === 'resume'
      ? await resumeRun(store, 'r', pipeline)
      : startRun(pipeline, { store, runId: 'r', input: null, attended: true });
  const seen: RunRecord[] = [];
  run.events$.subscribe((record) => {
    seen.push(record);
    if (record.event.type === 'phase.escalated') void decide(run, record.event.phase);
  });
  if (how === 'resume') for (const about of run.snapshot().waiting) await decide(run, about);
  const result = (await run.result) as RunResult;
  return { result, seen: result.error ? withoutEnd(seen) : seen };
}

/** Removes the local end of a run that lost its store, as no store has it. */
function withoutEnd(seen: readonly RunRecord[]): readonly RunRecord[] {
  const last = seen.findLastIndex(({ event }) => !ENDINGS.has(event.type));
  return seen.slice(0, last + 1);
}

const ENDINGS: ReadonlySet<string> = new Set(['phase.cancelled', 'phase.skipped', 'run.ended']);

/** Decides about a phase. A failure of the store in the meantime is in the result of the run. */
async function decide(run: Run<unknown>, about: string): Promise<void> {
  try {
    await run.decide(about, approve());
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
  }
}

function memoryEffects(): Effects & { readonly keys: string[] } {
  const keys: string[] = [];
  return {
    keys,
    note: (key) => void keys.push(key),
    count: (key) => keys.filter((one) => one === key).length,
  };
}

/** Wraps a store, and refuses every batch from the nth on. */
function unwritable(good: RunStore, nth: number, problem: Error, keepsIt: boolean) {
  let count = 0;
  const check = () => {
    if (count >= nth) throw problem;
  };
  const store: RunStore = {
    ...good,
    async append(batch, lease) {
      count += 1;
      if (count === nth && keepsIt) await good.append(batch, lease);
      check();
      await good.append(batch, lease);
    },
    renew: (lease, ms) => (check(), good.renew(lease, ms)),
    release: (lease) => (check(), good.release(lease)),
    post: (message) => (check(), good.post(message)),
  };
  return { store, failed: () => count >= nth };
}
