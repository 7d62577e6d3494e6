/**
 * Several processes and one database.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import type { Opening } from './opener.ts';
import { batchOf, refuses } from '../../src/testing/store/trial.ts';

let folder = '';
let file = '';
const children = new Set<Child>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-processes-'));
  file = join(folder, 'runs.sqlite');
});
afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    await ended(child);
  }
  children.clear();
  rmSync(folder, { recursive: true });
});

describe('processes that append to one run', () => {
  it('get each number once, also if they create the database at the same time', async () => {
    const names = ['a', 'b', 'c'];
    const told = await Promise.all(
      names.map(async (name) => {
        const child = start('race', file, name, '60');
        const lines = await linesOf(child);
        expect(await ended(child)).toBe(0);
        return lines.map(Number);
      }),
    );
    const store = sqliteStore(file);
    const records = await store.read('r');
    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 180 }, (_, index) => index + 1));
    for (const [index, name] of names.entries())
      expect(told[index]).toEqual(
        records.filter(({ event }) => 'because' in event && event.because === name).map(({ seq }) => seq),
      );
    await store.close();
  });
});

describe('threads that open a missing database', () => {
  it('create it once, and all continue', async () => {
    const arrived = new Int32Array(new SharedArrayBuffer(4 * 25));
    const names = ['a', 'b', 'c', 'd'];
    const told = await Promise.all(
      names.map(async (name) => {
        const workerData: Opening = { folder, name, threads: names.length, arrived };
        const thread = new Worker(new URL('opener.ts', import.meta.url), {
          workerData,
          execArgv: ['--import', 'jiti/register'],
        });
        const [problems] = (await once(thread, 'message')) as [readonly string[]];
        await thread.terminate();
        return problems;
      }),
    );
    expect(told.flat()).toEqual([]);
  });
});

describe('a process that has opened a database twice', () => {
  it.each([true, false])('is not taken for closed by later processes (readOnly: %s)', async (readOnly) => {
    const stores = [sqliteStore(file), sqliteStore(file, { readOnly })];
    await stores[0]?.append(batchOf('r', 1));
    // A process that believes itself alone removes the log. Everything that is appended to it later would be lost.
    expect(await linesOf(start('alone', file))).toEqual(['database is locked']);
    await stores[0]?.append(batchOf('r', 2));
    for (const store of stores) await store.close();
  });
});

describe('a process that is killed while it appends', () => {
  it('leaves every acknowledged batch, whole, and a sound database', async () => {
    let known = 0;
    for (const batches of [1, 7, 20, 3, 40]) {
      const child = start('write', file);
      let told = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        told += 1;
        known = Number(line);
        if (told === batches) child.kill('SIGKILL');
      }
      await ended(child);

      const db = connect(file, { readOnly: false });
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      db.close();
      const store = sqliteStore(file);
      const seqs = (await store.read('r')).map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThanOrEqual(known);
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
      // A batch of three is stored in full or not at all, with its large values.
      expect(seqs.length % 3).toBe(0);
      expect((await store.run('r'))?.seq).toBe(seqs.length);
      expect((await store.inbox()).length).toBe(seqs.length / 3);
      expect(await store.artifact(`hash ${seqs.length}`)).toBeDefined();
      await store.close();
    }
  });
});

describe('a process that holds the database', () => {
  it('blocks writers for as long as they are willing to wait, and never readers', async () => {
    const store = sqliteStore(file);
    await store.append(batchOf('r', 1));
    const child = start('hold', file);
    await once(child.stdout, 'data');

    await refuses('STORE_BUSY', () => store.append(batchOf('r', 2)));
    await refuses('STORE_BUSY', () => store.acquire('r', 'me', 1000));
    expect((await store.read('r')).length).toBe(1);
    const reader = sqliteStore(file, { readOnly: true });
    expect((await reader.read('r')).length).toBe(1);
    await reader.close();
    const late = sqliteStore(file);
    await refuses('STORE_BUSY', () => late.append(batchOf('r', 2)));
    await late.close();

    child.kill('SIGKILL');
    await ended(child);
    await store.append(batchOf('r', 2));
    expect((await store.read('r')).length).toBe(2);
    await store.close();
  });
});

// --- internal ---

type Child = ChildProcessByStdio<null, Readable, null>;

function start(...args: readonly string[]): Child {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'jiti/register', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  return child;
}

async function linesOf(child: Child): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  return lines;
}

async function ended(child: Child): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}
