/** Runs whose store fails: full, lost to another process, or slow. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  definePipeline,
  phase,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  memoryStore,
  readRun,
} from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { connectionOf } from '../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { storeOn } from '../../src/store/sqlite/store.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'phasegate-stores-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A pipeline of twelve phases in a chain, each with an output of several pages. */
function pages(calls: string[]): Pipeline {
  return definePipeline({
    name: 'pages',
    phases: Array.from({ length: 12 }, (_, index) =>
      phase(`p${index}`, {
        after: index === 0 ? [] : [`p${index - 1}`],
        tasks: [
          task('write', {
            run() {
              calls.push(`p${index}`);
              return `${index} `.repeat(9000);
            },
          }),
        ],
      }),
    ),
  });
}

describe('a disk that becomes full', () => {
  it('stops the run at the last stored record, and the run resumes from there once there is room', async () => {
    const path = join(folder, 'runs.sqlite');
    const db = openDatabase({ path, readOnly: false });
    const store = storeOn(connectionOf(db, { path, readOnly: false }), Date.now);
    db.exec('PRAGMA max_page_count = 60');
    const calls: string[] = [];
    const { status, error } = await startRun(pages(calls), { store, runId: 'r' }).result;
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'STORE_FAILED' });
    expect(error?.cause).toContain('no room to grow');
    const before = await readRun(store, 'r');
    expect(calls.length).toBeGreaterThan(2);
    expect(calls.length).toBeLessThan(12);
    expect(await store.run('r')).toMatchObject({ status: 'running', lease: undefined });

    db.exec('PRAGMA max_page_count = 100000');
    const done = before.flatMap(({ event }) => (event.type === 'task.completed' ? [event.phase] : []));
    const again: string[] = [];
    const result = await (await resumeRun(store, 'r', pages(again))).result;
    expect(result.status).toBe('completed');
    expect(again.filter((name) => done.includes(name))).toEqual([]);
    expect((await readRun(store, 'r')).slice(0, before.length)).toEqual(before);
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    await store.close();
  });
});

describe('a process that was suspended for longer than its lease', () => {
  it('ends without writing once it continues, and repeats no work of the other process', async () => {
    const store = memoryStore();
    const late = memoryLate(store);
    const calls: string[] = [];
    const first = startRun(pages(calls), { store: late.store, runId: 'r' });
    await late.asleep;
    // Another process takes the run over, and finishes it.
    const other: string[] = [];
    await late.expire();
    const second = await resumeRun(store, 'r', pages(other));
    expect((await second.result).status).toBe('completed');
    const before = await readRun(store, 'r');
    const begun = calls.length;
    late.wake();
    const { status, error } = await first.result;
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'LEASE_LOST' });
    expect(error?.message).toContain('has lost its lease');
    expect(calls).toHaveLength(begun);
    expect(await readRun(store, 'r')).toEqual(before);
  });
});

describe('a slow store', () => {
  it('makes the run wait, and stores everything in order', async () => {
    const store = memoryStore();
    let turns = 0;
    const slow: RunStore = {
      ...store,
      async append(batch, lease) {
        turns += 1;
        for (let turn = 0; turn < (turns * 7) % 11; turn++) await new Promise((resolve) => setImmediate(resolve));
        await store.append(batch, lease);
      },
    };
    const calls: string[] = [];
    expect((await startRun(pages(calls), { store: slow, runId: 'r' }).result).status).toBe('completed');
    expect(calls).toHaveLength(12);
    expect((await readRun(store, 'r')).map(({ seq }, at) => seq - at - 1).every((gap) => gap === 0)).toBe(true);
  });
});

// --- internal ---

/** Wraps a store in which the process is suspended right before its third batch. */
function memoryLate(good: RunStore) {
  let wake: () => void = () => undefined;
  let sleep: () => void = () => undefined;
  const asleep = new Promise<void>((resolve) => (sleep = resolve));
  const awake = new Promise<void>((resolve) => (wake = resolve));
  let held: Parameters<RunStore['append']>[1];
  let count = 0;
  const store: RunStore = {
    ...good,
    async append(batch, lease) {
      count += 1;
      if (count === 3) {
        held = lease;
        sleep();
        await awake;
      }
      await good.append(batch, lease);
    },
  };
  return {
    store,
    asleep,
    wake: () => wake(),
    /** Makes the lease expire. */
    async expire() {
      if (held) await good.release(held);
    },
  };
}
