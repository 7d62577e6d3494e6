/** SQLite beyond the contract: files, and all of their faults. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PhasegateError } from '../../src/index.ts';
import type { RunStore } from '../../src/store/port.ts';
import { sqliteStore, type SqliteStoreOptions } from '../../src/sqlite.ts';
import { connectionOf } from '../../src/store/sqlite/connection.ts';
import { connect, type Database } from '../../src/store/sqlite/driver.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { migrateTables } from '../../src/store/sqlite/schema.ts';
import { storeOn } from '../../src/store/sqlite/store.ts';
import { batchOf, openItem, recordOf, refuses } from '../../src/testing/store/trial.ts';

let folder = '';
let file = '';
const opened: (RunStore | Database)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-sqlite-'));
  file = join(folder, 'runs.sqlite');
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

describe('sqliteStore() as a file', () => {
  it('is readable by its owner alone, with the files next to it', async () => {
    const path = join(folder, 'new', 'runs.sqlite');
    const store = open(path);
    await store.append(batchOf('r', 1));
    const modes = ['', '-wal', '-shm'].map((end) => statSync(`${path}${end}`).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    await store.close();
    // The single file that is copied contains everything.
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
  });

  it('keeps the mode of an existing file', () => {
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    open();
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('is named by a URL or through a link, too', async () => {
    symlinkSync(file, join(folder, 'link'));
    const store = sqliteStore(pathToFileURL(join(folder, 'link')));
    opened.push(store);
    await store.append(batchOf('r', 1));
    expect((await open(file, { readOnly: true }).read('r')).length).toBe(1);
  });

  it.each(['runs.sqlite', 'link'])('reserves room in its log for later writes, opened as %s', async (name) => {
    symlinkSync(file, join(folder, 'link'));
    const store = open(join(folder, name));
    await store.append(batchOf('r', 1));
    const first = statSync(`${file}-wal`).size;
    await store.append(batchOf('r', 2));
    await store.append(batchOf('r', 3));
    const roomy = statSync(`${file}-wal`).size;
    expect(roomy).toBeGreaterThan(first + 200_000);
    for (let seq = 4; seq <= 20; seq++) await store.append(batchOf('r', seq));
    expect(statSync(`${file}-wal`).size).toBe(roomy);
    for (let seq = 21; seq <= 60; seq++) await store.append(batchOf('r', seq));
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(roomy);

    // A killed process leaves this file. The reserved room behind the log is no part of it.
    const left = join(folder, 'left.sqlite');
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${left}${end}`);
    expect((await open(left).read('r')).map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    const db = connect(left, { readOnly: true });
    opened.push(db);
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  it('reserves room in its log once, however many write in turns', async () => {
    const stores = Array.from({ length: 4 }, () => open());
    for (const store of stores) await store.append(batchOf('r', 1 + (await store.read('r')).length));
    for (let seq = 5; seq <= 80; seq++) await stores[seq % stores.length]?.append(batchOf('r', seq));
    const roomy = statSync(`${file}-wal`).size;
    expect(roomy).toBeLessThan(2_000_000);
    // A later connection that has not written reserves no more, either.
    const late = open();
    for (let seq = 81; seq <= 84; seq++) await late.append(batchOf('r', seq));
    expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(roomy + 256 * 1024);
    expect(await late.read('r')).toHaveLength(84);
  });

  it.skipIf(process.platform === 'win32')(
    'is used only at its opening place: not once it was removed or replaced',
    async () => {
      const store = open();
      const item = openItem('r', 1);
      await store.append(batchOf('r', 1, { items: [item] }));
      const uses: Readonly<Record<string, () => unknown>> = {
        'append to run r': () => store.append(batchOf('r', 2)),
        'read run r': () => store.read('r'),
        'list runs': () => store.runs(),
        'list the inbox': () => store.inbox(),
        'post to run r': () => store.post({ runId: 'r', kind: 'answer', item: item.id, body: {}, by: 'ada', time: 1 }),
        'acquire run r': () => store.acquire('r', 'me', 1000),
      };
      const refusals = () => Object.values(uses).map((use) => problem(use).split('\n')[0]);
      const away = join(folder, 'away.sqlite');
      renameSync(file, away);
      expect(refusals()).toEqual(Object.keys(uses).map((use) => `Cannot ${use} as <folder>/runs.sqlite was removed`));
      expect(problem(() => store.read('r'))).toMatchInlineSnapshot(`
        "Cannot read run r as <folder>/runs.sqlite was removed
        Restore the file, or open the store again. Nothing more is stored in the removed file.
        Docs: docs/errors.md#STORE_UNREADABLE"
      `);
      copyFileSync(away, file);
      const found = 'is another file than the one that was opened';
      expect(refusals()).toEqual(Object.keys(uses).map((use) => `Cannot ${use} as <folder>/runs.sqlite ${found}`));
      // Nothing was stored in vain, and the store continues when the file is back.
      renameSync(away, file);
      expect(await store.messages('r')).toEqual([]);
      await store.append(batchOf('r', 2));
      expect((await store.read('r')).map(({ seq }) => seq)).toEqual([1, 2]);
    },
  );

  it('has our application id, is in WAL mode, and waits for the disk', () => {
    open();
    const db = raw();
    const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(pragma('application_id')).toBe(0x70_68_67_61);
    expect(pragma('user_version')).toBe(6);
    expect(pragma('journal_mode')).toBe('wal');
    const ours = openDatabase({ path: file, readOnly: false });
    opened.push(ours);
    expect(ours.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(ours.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 20 });
  });

  it('reads 100 000 records in parts', async () => {
    const store = open();
    for (let first = 1; first <= 100_000; first += 10_000) await store.append(batchOf('r', first, { count: 10_000 }));
    let from = 1;
    for (;;) {
      const part = await store.read('r', from, 7000);
      if (part.length === 0) break;
      expect(part[0]?.seq).toBe(from);
      from = (part.at(-1)?.seq ?? 0) + 1;
    }
    expect(from).toBe(100_001);
    expect((await store.read('r')).length).toBe(100_000);
    expect(await store.remove('r')).toBe(true);
  });
});

describe('read() of a store in a file', () => {
  it('returns records as they were stored, for every range', async () => {
    const store = open();
    const texts = ['{"no": "record"},{', '[', ']', '\\', '"', ',', '\u2028 \ud83d\ude00', '\n', ''];
    const records = Array.from({ length: 1100 }, (_, at) => recordOf('r', at + 1, texts[at % texts.length]));
    await store.append({ ...batchOf('r', 1, { count: records.length }), records });
    await store.append(batchOf('other', 1, { count: 3 }));
    expect(await store.read('r')).toEqual(records);
    for (const from of [1, 2, 255, 256, 257, 512, 1100, 1101])
      for (const limit of [0, 1, 255, 256, 257, 600, undefined])
        expect(await store.read('r', from, limit)).toEqual(records.slice(from - 1).slice(0, limit));
  });

  it('returns nothing beyond the highest possible number, whatever other runs have', async () => {
    const store = open();
    for (const run of ['r', 'other', 'third']) await store.append(batchOf(run, 1, { count: 3 }));
    for (const from of [4, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53, Infinity]) {
      expect(await store.read('r', from)).toEqual([]);
      expect(await store.read('other', from, 1)).toEqual([]);
    }
    expect(await store.remove('other')).toBe(true);
    for (const run of ['r', 'third']) expect((await store.read(run)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('returns the records of a database of an earlier version, and appends to them', async () => {
    const db = raw();
    migrateTables(db, 0, 1);
    const records = ['a', 'b'].map((run) => Array.from({ length: 300 }, (_, at) => recordOf(run, at + 1)));
    records.forEach((list, at) => {
      const { runId, info: row } = batchOf(['a', 'b'][at] ?? '', 300);
      db.prepare('INSERT INTO runs VALUES (?, ?, 300, ?, ?, ?, ?, ?)').run(
        at + 1,
        runId,
        row.pipeline,
        row.status,
        row.startedAt,
        row.updatedAt,
        JSON.stringify(row),
      );
      for (const record of list)
        db.prepare('INSERT INTO records VALUES (?, ?, ?)').run(at + 1, record.seq, JSON.stringify(record));
    });
    expect(problem(() => open(file, { readOnly: true }))).toContain('it was created by an earlier version');
    const store = open();
    expect(await store.read('a')).toEqual(records[0]);
    await store.append(batchOf('b', 301));
    expect((await store.read('b')).slice(0, 300)).toEqual(records[1]);
    expect(await store.read('b', 301)).toHaveLength(1);
    await store.remove('a');
    expect(await store.read('b')).toHaveLength(301);
  });

  it.each([
    ['in the middle', 'seq BETWEEN 250 AND 520', 250],
    ['in front', 'seq < 3', 1],
    ['at the end', 'seq > 590', 591],
    ['everywhere', 'true', 1],
  ])('names the first of the records that are missing %s', async (_, missing, first) => {
    const store = open();
    await store.append(batchOf('r', 1, { count: 600 }));
    raw().exec(`DELETE FROM records WHERE ${missing}`);
    expect(problem(() => store.read('r'))).toContain(
      `Cannot read record ${first} of run r as it is missing, and the run has 600`,
    );
    expect(await store.read('r', 1, first - 1)).toHaveLength(first - 1);
  });

  it.each([
    ['two records that were exchanged', { 300: [1, 301], 301: [1, 300] }],
    ['a record of another run', { 300: [2, 300] }],
    ['a record in two places', { 300: [1, 299] }],
  ])('refuses %s, with their checksums', async (_, moved) => {
    const store = open();
    for (const run of ['r', 's']) await store.append(batchOf(run, 1, { count: 600 }));
    const db = raw();
    db.exec('CREATE TEMP TABLE old AS SELECT * FROM records');
    const move = db.prepare(`UPDATE records SET (record, sum) = (SELECT record, sum FROM old WHERE run = ? AND seq = ?)
      WHERE run = 1 AND seq = ?`);
    for (const [seq, [run = 0, from = 0]] of Object.entries(moved)) move.run(run, from, Number(seq));
    expect(problem(() => store.read('r'))).toContain(
      'Cannot read record 300 of run r as its text does not match its checksum; records up to 299 can be read',
    );
  });

  it.each([
    ['something else', `UPDATE records SET record = '{"no": "record"}' WHERE seq = 300`],
    ['empty', `UPDATE records SET record = '' WHERE seq = 300`],
    ['two in one', `UPDATE records SET record = record || ',' || replace(record, 300, 300.5) WHERE seq = 300`],
    ['another value', `UPDATE records SET record = replace(record, 'reason 300', 'reason 301') WHERE seq = 300`],
    ['no text', `UPDATE records SET record = CAST(x'ff' || record AS TEXT) WHERE seq = 300`],
    ['its checksum', `UPDATE records SET sum = sum + 1 WHERE seq = 300`],
  ])('says which record was changed: %s', async (what, damage) => {
    const store = open();
    await store.append(batchOf('r', 1, { count: 600 }));
    raw().exec(damage);
    const damaged =
      'Cannot read record 300 of run r as its text does not match its checksum; records up to 299 can be read';
    expect(problem(() => store.read('r', 299, 2))).toContain(damaged);
    // The checksum of one record in between is not needed to check all.
    if (what !== 'its checksum') expect(problem(() => store.read('r'))).toContain(damaged);
    expect(await store.read('r', 302)).toHaveLength(299);
    expect(await store.read('r', 1, 299)).toHaveLength(299);
  });

  it('leaves no transaction behind, even if it fails', async () => {
    const store = open();
    await store.append(batchOf('r', 1));
    await store.read('r');
    raw().exec(`UPDATE records SET record = 'none'`);
    problem(() => store.read('r'));
    await store.append(batchOf('r', 2));
    expect(await store.read('r', 2)).toHaveLength(1);
  });
});

describe('sqliteStore() with { readOnly: true }', () => {
  it('reads next to a writer, and refuses to write', async () => {
    const writer = open();
    await writer.append(batchOf('r', 1, { items: [openItem('r', 1)] }));
    const readers = [1, 2, 3].map(() => open(file, { readOnly: true }));
    for (const reader of readers) expect((await reader.read('r')).length).toBe(1);
    await writer.append(batchOf('r', 2));
    for (const reader of readers) {
      expect((await reader.run('r'))?.seq).toBe(2);
      expect((await reader.inbox({ open: true })).length).toBe(1);
      const lease = { runId: 'r', holder: 'h', token: 't', expiresAt: 0 };
      const writes = [
        () => reader.append(batchOf('r', 3)),
        () => reader.acquire('r', 'me', 1000),
        () => reader.renew(lease, 1000),
        () => reader.release(lease),
        () => reader.remove('r'),
        () => reader.post({ runId: 'r', kind: 'cancel', body: null, by: 'me', time: 0 }),
      ];
      for (const write of writes) await refuses('STORE_READ_ONLY', write);
    }
    expect((await writer.run('r'))?.seq).toBe(2);
  });

  it('reads a database that was closed before', async () => {
    const writer = open();
    await writer.append(batchOf('r', 1));
    await writer.close();
    const before = readFileSync(file);
    const reader = open(file, { readOnly: true });
    expect((await reader.read('r')).length).toBe(1);
    await reader.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('creates no file', () => {
    expect(problem(() => open(file, { readOnly: true }))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/runs.sqlite as there is no such file
      Give the path of an existing store.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
    expect(existsSync(file)).toBe(false);
  });
});

describe('sqliteStore() cannot be opened', () => {
  it('in a folder whose own folder is missing', () => {
    expect(problem(() => open(join(folder, 'a', 'b', 'runs.sqlite')))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/a/b/runs.sqlite as folder <folder>/a does not exist
      Create the folder, or give another path.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });

  it('as a folder', () => {
    expect(problem(() => open(folder))).toMatchInlineSnapshot(`
      "Cannot open the store <folder> as it is a folder
      Give the path of a file.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });

  it('below a file', () => {
    writeFileSync(file, '');
    expect(problem(() => open(join(file, 'runs.sqlite')))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/runs.sqlite/runs.sqlite as <folder>/runs.sqlite is not a folder
      Give another path.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });

  it('below a link to no folder', () => {
    symlinkSync('nowhere', join(folder, 'link'));
    expect(problem(() => open(join(folder, 'link', 'runs.sqlite')))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/link/runs.sqlite as <folder>/link is not a folder
      Give another path.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });

  it('in memory', () => {
    expect(problem(() => open(':memory:'))).toMatchInlineSnapshot(`
      "Cannot open a store as its path names no file: use memoryStore()
      This is a mistake of the program that calls the store.
      Docs: docs/errors.md#STORE_MISUSED"
    `);
  });

  it.each([false, true])('if the file is no database (readOnly: %s)', (readOnly) => {
    writeFileSync(file, 'Dear diary, today I wrote a pipeline. '.repeat(100));
    expect(problem(() => open(file, { readOnly }))).toMatchInlineSnapshot(`
      "Cannot open the store as <folder>/runs.sqlite is not an SQLite database
      Restore it from a copy, or give another path.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
    expect(readFileSync(file, 'utf8')).toMatch(/^Dear diary/u);
  });

  it.each([false, true])('if another program created the database (readOnly: %s)', (readOnly) => {
    const db = raw();
    db.exec('CREATE TABLE songs (title TEXT)');
    const before = readFileSync(file);
    expect(problem(() => open(file, { readOnly }))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/runs.sqlite as it is the database of another program
      Give the path of a store, or of a new file.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('if another program has marked an empty database', () => {
    raw().exec('PRAGMA application_id = 42');
    expect(problem(() => open())).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/runs.sqlite as it is the database of another program
      Give the path of a store, or of a new file.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });

  it.each([false, true])('if a later version created the database (readOnly: %s)', async (readOnly) => {
    await open().close();
    raw().exec('PRAGMA user_version = 7');
    expect(problem(() => open(file, { readOnly }))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/runs.sqlite as it was created by a later version: its tables have version 7, and this version knows up to 6
      Update phasegate; or export runs with the later version, and import them into another store.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });

  it('if an empty file is opened read-only', () => {
    writeFileSync(file, '');
    expect(problem(() => open(file, { readOnly: true }))).toMatchInlineSnapshot(`
      "Cannot open the store <folder>/runs.sqlite as it is empty
      Restore it from a copy, or open it once for writing.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });

  it('if the file is truncated', async () => {
    const store = open();
    await store.append(batchOf('r', 1, { count: 500 }));
    await store.close();
    // The copy is opened, as connections to the file itself would know its true length.
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(file, copy);
    truncateSync(copy, statSync(file).size / 2);
    expect(problem(() => open(copy))).toMatchInlineSnapshot(`
      "Cannot open the store as <folder>/copy.sqlite is damaged
      Restore it from a copy; \`PRAGMA integrity_check\` lists the damage.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
    truncateSync(copy, 60);
    expect(problem(() => open(copy))).toMatchInlineSnapshot(`
      "Cannot open the store as <folder>/copy.sqlite is damaged
      Restore it from a copy; \`PRAGMA integrity_check\` lists the damage.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });
});

describe('sqliteStore() with a damaged page', () => {
  it('reports it when it is read, and keeps the rest', async () => {
    const store = open();
    await store.append(batchOf('good', 1));
    await store.append(batchOf('bad', 1, { count: 2000 }));
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length - 4096 * 20, bytes.length - 4096 * 10);
    writeFileSync(file, bytes);
    const damaged = open();
    expect(problem(() => damaged.read('bad'))).toMatchInlineSnapshot(`
      "Cannot read run bad as <folder>/runs.sqlite is damaged
      Restore it from a copy; \`PRAGMA integrity_check\` lists the damage.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
    expect((await damaged.read('good')).length).toBe(1);
  });

  it('reports a row of another type', () => {
    const store = open();
    void store.append(batchOf('r', 1));
    raw().exec(`UPDATE records SET record = '{"no": "record"}'`);
    expect(problem(() => store.read('r'))).toMatchInlineSnapshot(`
      "Cannot read record 1 of run r as its text does not match its checksum
      Check the run: phasegate verify r. Restore the store from a copy of it.
      Docs: docs/errors.md#STORE_UNREADABLE"
    `);
  });
});

describe.skipIf(process.platform === 'win32')('sqliteStore() without the right to write', () => {
  it('to the file', async () => {
    await open().close();
    chmodSync(file, 0o444);
    chmodSync(folder, 0o755);
    asNobody(() => {
      expect(problem(() => open())).toMatchInlineSnapshot(`
        "Cannot open the store <folder>/runs.sqlite as it may not be written
        Give this user the right to write to the file and its folder, or open it with { readOnly: true }.
        Docs: docs/errors.md#STORE_READ_ONLY"
      `);
    });
  });

  it('to the folder', async () => {
    await open().close();
    chmodSync(file, 0o666);
    chmodSync(folder, 0o555);
    asNobody(() => {
      expect(problem(() => open())).toMatchInlineSnapshot(`
        "Cannot open the store <folder>/runs.sqlite as its folder may not be written, and SQLite needs files next to it
        Give this user the right to write to the folder, or copy the store to another.
        Docs: docs/errors.md#STORE_READ_ONLY"
      `);
      expect(problem(() => open(join(folder, 'other.sqlite')))).toMatchInlineSnapshot(`
        "Cannot open the store <folder>/other.sqlite as it may not be written
        Give this user the right to write to the file and its folder, or open it with { readOnly: true }.
        Docs: docs/errors.md#STORE_READ_ONLY"
      `);
    });
    chmodSync(folder, 0o755);
  });

  it('names the way to read a closed store in a read-only folder', async () => {
    await open().close();
    chmodSync(file, 0o444);
    chmodSync(folder, 0o555);
    asNobody(() => {
      expect(problem(() => open(file, { readOnly: true }))).toMatchInlineSnapshot(`
        "Cannot read the store <folder>/runs.sqlite as its folder may not be written, and SQLite needs files next to it
        While no process uses it, copy it to a folder that you may write to, and read the copy: cp <folder>/runs.sqlite <folder>
        Docs: docs/errors.md#STORE_READ_ONLY"
      `);
    });
    chmodSync(folder, 0o755);
  });

  it('and not to read the log of a process that was killed', async () => {
    await open().append(batchOf('r', 1));
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, join(copy, `x.sqlite${end}`));
    chmodSync(join(copy, 'x.sqlite'), 0o444);
    chmodSync(join(copy, 'x.sqlite-wal'), 0o600);
    for (const one of [copy, folder]) chmodSync(one, 0o555);
    asNobody(() => {
      expect(problem(() => open(join(copy, 'x.sqlite'), { readOnly: true }))).toMatchInlineSnapshot(`
        "Cannot open the store <folder>/copy/x.sqlite-wal as this user may not read it
        Give the user the right to read it.
        Docs: docs/errors.md#STORE_UNREADABLE"
      `);
    });
    for (const one of [copy, folder]) chmodSync(one, 0o755);
  });

  it('not even to read it', async () => {
    await open().close();
    chmodSync(file, 0o600);
    chmodSync(folder, 0o755);
    asNobody(() => {
      expect(problem(() => open(file, { readOnly: true }))).toMatchInlineSnapshot(`
        "Cannot open the store <folder>/runs.sqlite as this user may not read it
        Give the user the right to read it.
        Docs: docs/errors.md#STORE_UNREADABLE"
      `);
    });
  });
});

describe('sqliteStore() without room', () => {
  it('stores nothing of the batch, keeps everything before, and continues when there is room', async () => {
    const db = openDatabase({ path: file, readOnly: false });
    const store = storeOn(connectionOf(db, { path: file, readOnly: false }), Date.now);
    opened.push(store);
    await store.append(batchOf('r', 1));
    db.exec('PRAGMA max_page_count = 30');
    await fillsUp(store);
    db.exec('PRAGMA max_page_count = 30000');
    await store.append(batchOf('r', 2, { count: 3 }));
    expect((await store.read('r')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it.runIf(canMount())('on a disk that is full', async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', disk]);
    try {
      const store = open(join(disk, 'runs.sqlite'));
      await store.append(batchOf('r', 1));
      await fillsUp(store);
      execFileSync('mount', ['-o', 'remount,size=8m', disk]);
      await store.append(batchOf('r', 2, { count: 3 }));
      expect((await store.read('r')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      await store.close();
    } finally {
      for (const one of opened.splice(0)) await one.close();
      // The unmount is lazy, as files may be open until garbage collection.
      execFileSync('umount', ['-l', disk]);
    }
  });
});

describe('sqliteStore() finds', () => {
  /** The steps in which SQLite answers a query, and all queries that the store prepares for a call. */
  async function stepsOf(call: (store: RunStore) => unknown): Promise<readonly string[]> {
    const db = raw();
    const texts: string[] = [];
    const connection = connectionOf(db, { path: file, readOnly: false });
    await call(storeOn({ ...connection, sql: (text) => (texts.push(text), connection.sql(text)) }, Date.now));
    return texts
      .filter((text) => text.startsWith('SELECT'))
      .flatMap((text) =>
        db
          .prepare(`EXPLAIN QUERY PLAN ${text}`)
          .all()
          .map(({ detail }) => String(detail)),
      );
  }

  it('runs that are ready by an index', async () => {
    await open().close();
    const steps = await stepsOf((store) => store.ready(['a'], 1));
    expect(steps).toContainEqual(expect.stringMatching(/^SEARCH runs USING INDEX runs_ready/u));
    expect(steps).not.toContainEqual(expect.stringMatching(/^SCAN (?:runs|leases)/u));
  });

  it('runs that somebody has by their leases', async () => {
    await open().close();
    const steps = await stepsOf((store) => store.runs({ leased: true, status: ['running'] }));
    expect(steps).toContainEqual('SCAN leases');
    expect(steps).not.toContainEqual(expect.stringMatching(/^SCAN runs/u));
  });
});

// --- internal ---

function open(path = file, options?: SqliteStoreOptions): RunStore {
  const store = sqliteStore(path, options);
  opened.push(store);
  return store;
}

/** Opens the database without the store. */
function raw(): Database {
  const db = connect(file, { readOnly: false });
  opened.push(db);
  return db;
}

/** Appends a batch that is too large. Asserts that it is refused and leaves no trace. */
async function fillsUp(store: RunStore): Promise<void> {
  const large = {
    ...batchOf('r', 2, { artifacts: [{ hash: 'h', content: '1' }], items: [openItem('r', 2)] }),
    records: [recordOf('r', 2, 'x'.repeat(600_000))],
  };
  expect(problem(() => store.append(large))).toMatchInlineSnapshot(`
    "Cannot append to run r as <folder>/runs.sqlite has no room to grow
    Free space on its disk, some megabytes at least: removing runs needs some as well. Records that were stored before are safe.
    Docs: docs/errors.md#STORE_FULL"
  `);
  expect((await store.read('r')).map(({ seq }) => seq)).toEqual([1]);
  expect((await store.run('r'))?.seq).toBe(1);
  expect(await store.artifact('h')).toBeUndefined();
  expect(await store.inbox()).toEqual([]);
}

/** Returns the message and the code of the thrown error, without file paths. */
function problem(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    return error.message.replaceAll(folder, '<folder>').replace('<folder>/disk', '<folder>');
  }
  throw new Error('Nothing was thrown');
}

/** Runs work as an ordinary user, as the superuser may do anything. */
function asNobody(work: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

function canMount(): boolean {
  return process.platform === 'linux' && process.geteuid?.() === 0;
}
