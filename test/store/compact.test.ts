/** A store in a file returns unused space to the disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunStore } from '../../src/store/port.ts';
import { sqliteStore, type SqliteStoreOptions } from '../../src/sqlite.ts';
import { connect, type Database } from '../../src/store/sqlite/driver.ts';
import { migrateTables } from '../../src/store/sqlite/schema.ts';
import { batchOf, openItem, pictureOf, recordOf, refuses } from '../../src/testing/store/trial.ts';

let folder = '';
let file = '';
const opened: (RunStore | Database)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-compact-'));
  file = join(folder, 'runs.sqlite');
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

describe('compact() of a store in a file', () => {
  it('returns the space of removed runs, and keeps all others', async () => {
    const store = open();
    await fill(store, 'small', 5);
    await fill(store, 'large', 2000);
    await fill(store, 'last', 5);
    const kept = [await pictureOf(store, 'small'), await pictureOf(store, 'last')];
    expect(await store.compact?.()).toEqual({ freed: 0, unused: 0 });
    const full = statSync(file).size;
    await store.remove('large');
    const { freed = 0, ...rest } = (await store.compact?.()) ?? {};
    expect(rest).toEqual({ unused: 0 });
    expect(freed).toBeGreaterThan(2_000_000);
    expect(statSync(file).size).toBe(full - freed);
    expect([await pictureOf(store, 'small'), await pictureOf(store, 'last')]).toEqual(kept);
    expect(await store.compact?.()).toEqual({ freed: 0, unused: 0 });
    expectSound();
    await fill(store, 'next', 10);
    expect(await store.read('next')).toHaveLength(10);
  });

  it('lets others write meanwhile, and readers keep their view', async () => {
    const store = open();
    await fill(store, 'old', 3000);
    await fill(store, 'live', 1);
    await store.remove('old');
    // This writer does not wait for a lock.
    const other = open(file);
    const lease = await other.acquire('live', 'other', 60_000);
    const reader = raw();
    reader.exec('BEGIN');
    expect(count(reader)).toBe(1);

    const compacting = { is: true };
    const done = Promise.resolve(store.compact?.()).finally(() => (compacting.is = false));
    const looker = raw();
    const unused = new Set<unknown>();
    let seq = 1;
    while (compacting.is) {
      seq += 1;
      unused.add(looker.prepare('PRAGMA freelist_count').get()?.['freelist_count']);
      await other.append(batchOf('live', seq), lease);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Each part is some hundred pages, and others have written between any two.
    expect(unused.size).toBeGreaterThan(3);
    expect(seq).toBeGreaterThan(unused.size);
    expect(await done).toMatchObject({ unused: 0 });
    expect(count(reader)).toBe(1);
    reader.exec('COMMIT');
    expect(count(reader)).toBe(seq);
    expect((await store.read('live')).map(({ seq: number }) => number)).toEqual(
      Array.from({ length: seq }, (_, at) => at + 1),
    );
    // A reader with an old view has kept the file from shrinking.
    expect((await store.compact?.())?.freed).toBeGreaterThan(2_000_000);
    expectSound();
  });

  it('continues with space that others free meanwhile', async () => {
    const store = open();
    for (const runId of ['old', 'next']) await fill(store, runId, 3000);
    await store.remove('old');
    const done = store.compact?.();
    await open().remove('next');
    expect(await done).toMatchObject({ unused: 0 });
    expect(statSync(file).size).toBeLessThan(200_000);
    expectSound();
  });

  it('empties the log of a writer next to it, which goes on', async () => {
    const store = open();
    await fill(store, 'old', 3000);
    await store.remove('old');
    const other = open();
    for (let seq = 1; seq <= 3; seq++) await other.append(batchOf('live', seq));
    await store.compact?.();
    expect(statSync(`${file}-wal`).size).toBe(0);
    for (let seq = 4; seq <= 60; seq++) await other.append(batchOf('live', seq));
    await store.close();
    for (let seq = 61; seq <= 120; seq++) await other.append(batchOf('live', seq));
    expect(await other.read('live')).toHaveLength(120);
    expectSound();
  });

  it('reports that another process prevents it, and succeeds later', async () => {
    const store = open(file);
    await fill(store, 'old', 500);
    await store.remove('old');
    const other = raw();
    other.exec('BEGIN IMMEDIATE');
    expect(await store.compact?.()).toMatchObject({ freed: 0, obstacle: 'busy' });
    other.exec('ROLLBACK');
    const { freed = 0, ...rest } = (await store.compact?.()) ?? {};
    expect(freed).toBeGreaterThan(500_000);
    expect(rest).toEqual({ unused: 0 });
  });

  it('refuses a store that is read-only, removed or closed', async () => {
    const gone = open(join(folder, 'gone.sqlite'));
    rmSync(join(folder, 'gone.sqlite'));
    await refuses('STORE_UNREADABLE', () => gone.compact?.());
    await open().close();
    const reader = open(file, { readOnly: true });
    await refuses('STORE_READ_ONLY', () => reader.compact?.());
    await reader.close();
    await refuses('STORE_CLOSED', () => reader.compact?.());
  });

  it.runIf(canMount())('goes as far as there is room on an almost full disk', async () => {
    await onDisk('6m', async (disk) => {
      const store = open(join(disk, 'runs.sqlite'));
      await fill(store, 'old', 1000);
      await fill(store, 'live', 2);
      await store.remove('old');
      stuff(disk);
      const result = await store.compact?.();
      // Either it succeeds or it reports the full disk. The stored runs are intact either way.
      expect(result?.unused === 0 || result?.obstacle === 'full').toBe(true);
      expect(await store.read('live')).toHaveLength(2);
      rmSync(join(disk, 'stuff'));
      expect(await store.compact?.()).toMatchObject({ unused: 0 });
      expect(statSync(join(disk, 'runs.sqlite')).size).toBeLessThan(200_000);
      await store.close();
    });
  });
});

describe('a store on an almost full disk', () => {
  it.runIf(canMount())('continues in the free space of its own file', async () => {
    await onDisk('6m', async (disk) => {
      const store = open(join(disk, 'runs.sqlite'));
      await fill(store, 'old', 1000);
      await store.remove('old');
      // Closing merges the log into the file, so the log is empty from here on.
      await store.close();
      const again = open(join(disk, 'runs.sqlite'));
      const { size } = statSync(join(disk, 'runs.sqlite'));
      stuff(disk);
      const stuffed = join(disk, 'stuff');
      truncateSync(stuffed, statSync(stuffed).size - 300_000);
      for (let seq = 1; seq <= 400; seq++)
        await again.append({ ...batchOf('new', seq), records: [recordOf('new', seq, 'x'.repeat(1500))] });
      expect(await again.read('new')).toHaveLength(400);
      expect(statSync(join(disk, 'runs.sqlite')).size).toBe(size);
      await again.close();
    });
  });
});

describe('compact() of a store of an earlier version', () => {
  it('rewrites it if no run has a process, and shrinks it in parts from then on', async () => {
    earlier();
    const store = open();
    await fill(store, 'live', 5);
    await fill(store, 'old', 1000);
    await store.remove('old');
    const other = open();
    expect(await other.read('live')).toHaveLength(5);
    const lease = await other.acquire('live', 'other', 60_000);
    const blocked = await store.compact?.();
    expect(blocked).toMatchObject({ freed: 0, obstacle: 'at-work' });
    expect(blocked?.unused).toBeGreaterThan(1_000_000);
    await other.release(lease);
    const { freed, ...rest } = (await store.compact?.()) ?? {};
    expect(freed).toBeGreaterThan(1_000_000);
    expect(rest).toEqual({ unused: 0 });
    expect(statSync(`${file}-wal`).size).toBe(0);

    // Other open connections continue.
    await fill(other, 'next', 1000);
    expect(await other.read('live')).toHaveLength(5);
    await other.remove('next');
    const again = await other.acquire('live', 'other', 60_000);
    expect(await other.compact?.()).toMatchObject({ unused: 0 });
    await other.release(again);
    expect(statSync(file).size).toBeLessThan(200_000);
    expectSound();
  });

  it('is rewritten also if there is no space to return', async () => {
    earlier();
    const store = open();
    await fill(store, 'live', 5);
    expect(await store.compact?.()).toEqual({ freed: 0, unused: 0 });
    expect(raw().prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
  });

  it.runIf(canMount())('changes nothing if the disk has no room for a copy', async () => {
    await onDisk('8m', async (disk) => {
      const path = join(disk, 'runs.sqlite');
      earlier(path);
      const store = open(path);
      await fill(store, 'old', 500);
      await fill(store, 'live', 500);
      await store.remove('old');
      stuff(disk);
      expect(await store.compact?.()).toMatchObject({ freed: 0, obstacle: 'full' });
      expect(await store.read('live')).toHaveLength(500);
      rmSync(join(disk, 'stuff'));
      expect(await store.compact?.()).toMatchObject({ unused: 0 });
      await store.close();
    });
  });
});

// --- internal ---

function open(path = file, options?: SqliteStoreOptions): RunStore {
  const store = sqliteStore(path, options);
  opened.push(store);
  return store;
}

/** Opens the database without the store. */
function raw(path = file): Database {
  const db = connect(path, { readOnly: false });
  opened.push(db);
  return db;
}

/** Creates a file of an earlier version, which could not shrink in parts. */
function earlier(path = file): void {
  const db = connect(path, { readOnly: false });
  db.exec('PRAGMA journal_mode = WAL');
  migrateTables(db, 0);
  db.close();
}

/** Appends a run of that number of records, of about 1 500 bytes each. */
async function fill(store: RunStore, run: string, records: number): Promise<void> {
  const batch = batchOf(run, 1, { count: records, items: [openItem(run, 1)] });
  await store.append({ ...batch, records: batch.records.map(({ seq }) => recordOf(run, seq, 'x'.repeat(1500))) });
}

/** Counts the records of the run `live`. */
function count(db: Database): unknown {
  return db.prepare(`SELECT seq FROM runs WHERE id = 'live'`).get()?.['seq'];
}

function expectSound(): void {
  expect(raw().prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
}

/** Fills a disk almost completely. */
function stuff(disk: string): void {
  for (let size = 8 << 20; size >= 4096; size /= 2) {
    try {
      writeFileSync(join(disk, 'stuff'), Buffer.alloc(size), { flag: 'a' });
    } catch {
      // The space of the last file is free again.
    }
  }
}

/** Runs work on a disk of its own. */
async function onDisk(size: string, work: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
  try {
    await work(disk);
  } finally {
    for (const one of opened.splice(0)) await one.close();
    execFileSync('umount', ['-l', disk]);
  }
}

function canMount(): boolean {
  return process.platform === 'linux' && process.geteuid?.() === 0;
}
