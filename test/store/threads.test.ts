/** The statements of compact() and backup() that take long run in a thread: the event loop of the process goes on. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, closeSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunStore } from '../../src/store/port.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { batchOf, recordOf } from '../../src/testing/store/trial.ts';

let folder = '';
let file = '';
let store: RunStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-threads-'));
  file = join(folder, 'runs.db');
  store = sqliteStore(file);
  for (const id of ['a', 'b', 'c']) await fill(id);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('the event loop', () => {
  it('turns during compact() of some megabytes, and the store is read', async () => {
    expect(statSync(file).size).toBeGreaterThan(5_000_000);
    const working = { is: true };
    const done = Promise.resolve(store.compact?.()).finally(() => (working.is = false));
    let turns = 0;
    while (working.is) {
      expect(await store.run('b')).toMatchObject({ seq: 1000 });
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await done;
    // The first and the last turn are the beginning and the end.
    expect(turns).toBeGreaterThan(2);
  });

  it('turns before backup() has copied some megabytes, and a record is stored', async () => {
    const done = Promise.resolve(store.backup?.(join(folder, 'copy.db')));
    await new Promise((resolve) => setImmediate(resolve));
    const [part = ''] = readdirSync(folder).filter((name) => name.endsWith('.part'));
    const begun = statSync(join(folder, part)).size;
    await store.append(batchOf('d', 1));
    expect((await done)?.bytes).toBeGreaterThan(5_000_000);
    expect(begun).toBeLessThan(5_000_000);
  });

  it('turns while the file is rewritten, which others wait for', async () => {
    const working = { is: true };
    const done = Promise.resolve(store.compact?.()).finally(() => (working.is = false));
    let refused = 0;
    // Another connection of this thread sees the lock of the one that rewrites.
    const other = connect(file, { readOnly: false });
    other.exec('PRAGMA busy_timeout = 0');
    while (working.is) {
      try {
        other.exec('BEGIN IMMEDIATE; COMMIT');
      } catch {
        refused += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    other.close();
    expect(await done).toEqual({ freed: 0, unused: 0 });
    expect(refused).toBeGreaterThan(0);
  });
});

describe('an error of the thread', () => {
  it('has the code of the store, and leaves no part of a copy', async () => {
    await store.close();
    const { size } = statSync(file);
    // The pages in the middle are those of records.
    const opened = openSync(file, 'r+');
    for (let at = 100; at < size / 4096 - 100; at += 7) writeSync(opened, Buffer.alloc(4096, 255), 0, 4096, at * 4096);
    closeSync(opened);
    store = sqliteStore(file);
    const backup = Promise.resolve(store.backup?.(join(folder, 'copy.db')));
    await expect(backup).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining(`Cannot back up to ${join(folder, 'copy.db')} as ${file} is damaged`) as string,
    });
    await expect(Promise.resolve(store.compact?.())).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux' && process.geteuid?.() === 0)('tells that a disk is full', async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    try {
      const backup = Promise.resolve(store.backup?.(join(disk, 'copy.db')));
      await expect(backup).rejects.toMatchObject({ code: 'STORE_FULL' });
      expect(readdirSync(disk)).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
});

// --- internal ---

/** Stores a run of 1000 records of 2 kB each. */
async function fill(id: string): Promise<void> {
  const batch = batchOf(id, 1, { count: 1000 });
  await store.append({ ...batch, records: batch.records.map(({ seq }) => recordOf(id, seq, 'x'.repeat(2000))) });
}
