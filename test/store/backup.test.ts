/** Backups of a store in a file, while another process works on it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { definePipeline, phase, readRun, resumeRun, startRun, task } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { batchOf, pictureOf } from '../../src/testing/store/trial.ts';
import { files, phasegate } from '../cli/cli.ts';

let folder = '';
let file = '';
let copy = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'phasegate-backup-')));
  [file, copy] = [join(folder, 'runs.db'), join(folder, 'copy.db')];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Names of the files, without those that SQLite has next to a database. */
const named = () =>
  readdirSync(folder)
    .filter((name) => !/-(?:wal|shm)$/u.test(name))
    .toSorted();

/** True if SQLite finds no fault in the file. */
function isSound(path: string): boolean {
  const db = connect(path, { readOnly: true });
  try {
    return db.prepare('PRAGMA integrity_check').get()?.['integrity_check'] === 'ok';
  } finally {
    db.close();
  }
}

describe('backup() of a store in a file', () => {
  it('is a store with the same contents, only for its owner', async () => {
    const store = sqliteStore(file);
    for (const id of ['a', 'b']) for (let seq = 1; seq <= 20; seq += 1) await store.append(batchOf(id, seq));
    const copied = await store.backup?.(copy);
    expect(copied).toEqual({ bytes: statSync(copy).size });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const other = sqliteStore(copy);
    for (const id of ['a', 'b']) expect(await pictureOf(other, id)).toEqual(await pictureOf(store, id));
    await other.append(batchOf('a', 21));
    await other.remove('b');
    expect(await other.compact?.()).toMatchObject({ unused: 0 });
    expect(await store.runs()).toHaveLength(2);
    await other.close();
    await store.close();
    expect(named()).toEqual(['copy.db', 'runs.db']);
  });

  it('has the latest records, which a copy of the file alone lacks', async () => {
    const store = sqliteStore(file);
    for (let seq = 1; seq <= 5; seq += 1) await store.append(batchOf('a', seq));
    await store.backup?.(copy);
    const bare = join(folder, 'bare.db');
    copyFileSync(file, bare);
    const from = async (path: string) => {
      const other = sqliteStore(path);
      const records = await other.read('a');
      await other.close();
      return records.length;
    };
    expect(await from(copy)).toBe(5);
    expect(await from(bare)).toBe(0);
    await store.close();
  });

  it('is one moment of a run that another process works on, again and again', async () => {
    const script = fileURLToPath(new URL('child.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'jiti/register', script, 'steps', file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      expect(await lines.next()).toMatchObject({ value: 'runs' });
      const store = sqliteStore(file, { readOnly: true });
      const sizes: number[] = [];
      while (sizes.length < 6 || new Set(sizes).size < 3) {
        // The other process works while this one copies.
        child.stdin.write('go\n'.repeat(20));
        await store.backup?.(copy, { replace: true });
        expect(isSound(copy)).toBe(true);
        const other = sqliteStore(copy, { readOnly: true });
        const records = await readRun(other, 'r');
        expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
        expect((await other.run('r'))?.seq).toBe(records.length);
        expect((await readRun(store, 'r')).slice(0, records.length)).toEqual(records);
        await other.close();
        sizes.push(records.length);
      }
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
      child.stdin.end();
      await once(child, 'exit');
      const whole = await readRun(store, 'r');
      expect(whole.at(-1)?.event.type).toBe('run.ended');
      await store.close();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is resumed where it was made', async () => {
    const store = sqliteStore(file);
    let done = 0;
    const gate = withGate();
    const pipeline = definePipeline({
      name: 'two',
      phases: [
        phase('a', { tasks: [task('t', { run: () => (done += 1) })] }),
        phase('b', { after: ['a'], tasks: [task('t', { run: () => gate.promise.then(() => 'b') })] }),
      ],
    });
    const run = startRun(pipeline, { store, runId: 'r' });
    for await (const { event } of run) if (event.type === 'phase.started' && event.phase === 'b') break;
    await store.backup?.(copy);
    gate.resolve();
    await run.result;
    // The holder of the lease works on the run of the other store.
    const other = sqliteStore(copy, { now: () => Date.now() + 3_600_000 });
    const again = await resumeRun(other, 'r', pipeline);
    expect((await again.result).status).toBe('completed');
    expect(done).toBe(1);
    await other.close();
    await store.close();
  });

  it('replaces a file only if that is asked for, and never a file of the store itself', async () => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    writeFileSync(copy, 'mine');
    const link = join(folder, 'link.db');
    symlinkSync(file, link);
    const backup = async (...args: Parameters<NonNullable<typeof store.backup>>) => store.backup?.(...args);
    await expect(backup(copy)).rejects.toThrow('as there is such a file');
    expect(readFileSync(copy, 'utf8')).toBe('mine');
    for (const same of [file, link, `${file}-wal`, `${file}-shm`])
      await expect(backup(same, { replace: true })).rejects.toThrow('as that is a file of the store itself');
    await expect(backup(join(folder, 'none', 'x.db'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    mkdirSync(join(folder, 'dir'));
    await expect(backup(join(folder, 'dir'), { replace: true })).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(await store.read('a')).toHaveLength(1);
    await backup(copy, { replace: true });
    expect(isSound(copy)).toBe(true);
    chmodSync(copy, 0o400);
    await backup(copy, { replace: true });
    await store.close();
    await expect(backup(join(folder, 'late.db'))).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(named()).toEqual(['copy.db', 'dir', 'link.db', 'runs.db']);
  });
});

describe('backup() to a link, or to a name that is too long', () => {
  it('keeps a link, and has the copy where that leads', async () => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    symlinkSync(join(folder, 'disk', 'copy.db'), copy);
    const backup = async (replace: boolean) => store.backup?.(copy, { replace });
    // A disk that is not there now.
    await expect(backup(false)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    mkdirSync(join(folder, 'disk'));
    await backup(false);
    await expect(backup(false)).rejects.toThrow('as there is such a file');
    await store.append(batchOf('a', 2));
    await backup(true);
    expect(lstatSync(copy).isSymbolicLink()).toBe(true);
    const copied = sqliteStore(copy);
    expect(await copied.read('a')).toHaveLength(2);
    await copied.close();
    writeFileSync(join(folder, 'disk', 'copy.db-journal'), 'changes');
    await expect(backup(true)).rejects.toThrow('has changes of an earlier file');
    await store.close();
    expect(readdirSync(join(folder, 'disk')).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is refused by its code if the file that is not complete yet cannot have such a name', async () => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    await expect((async () => store.backup?.(join(folder, 'n'.repeat(230))))()).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
    await store.close();
    expect(named()).toEqual(['runs.db']);
  });
});

describe('backup() to a place that another database uses', () => {
  it.each(['-wal', '-journal'])('is refused if SQLite would apply left changes to the copy: %s', async (end) => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    await store.backup?.(copy);
    const before = readFileSync(copy);
    // A process that is killed leaves its log. The first backup finds an earlier file, the second none.
    writeFileSync(`${copy}${end}`, 'changes');
    for (const options of [{ replace: true }, {}]) {
      await expect((async () => store.backup?.(copy, options))()).rejects.toMatchObject({
        code: 'FILE_EXISTS',
        message: expect.stringContaining(`as ${copy}${end} has changes of an earlier file`) as string,
      });
      if (options.replace) expect(readFileSync(copy).equals(before)).toBe(true);
      rmSync(copy, { force: true });
    }
    writeFileSync(`${copy}${end}`, '');
    await store.backup?.(copy);
    await store.close();
  });

  it('loses nothing of a store whose process was killed', async () => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    const open = sqliteStore(copy);
    await open.append(batchOf('b', 1));
    await expect((async () => store.backup?.(copy, { replace: true }))()).rejects.toThrow(`${copy}-wal has changes`);
    expect(await open.read('b')).toHaveLength(1);
    await open.close();
    await store.backup?.(copy, { replace: true });
    const replaced = sqliteStore(copy);
    expect((await replaced.runs()).map(({ runId }) => runId)).toEqual(['a']);
    await replaced.close();
    await store.close();
  });

  it.each(['-wal', '-shm', '-journal'])('is refused for the file next to another database: %s', async (end) => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    const open = sqliteStore(copy);
    await open.append(batchOf('b', 1));
    for (const replace of [true, false])
      await expect((async () => store.backup?.(`${copy}${end}`, { replace }))()).rejects.toMatchObject({
        code: 'FILE_EXISTS',
        message: expect.stringContaining('SQLite keeps changes of another database there') as string,
      });
    await open.close();
    await store.backup?.(join(folder, `other${end}`));
    await store.close();
  });

  it.skipIf(process.platform === 'win32')('is refused for what is no regular file, which stays as it is', async () => {
    const store = sqliteStore(file);
    await store.append(batchOf('a', 1));
    execFileSync('mkfifo', [copy]);
    await expect((async () => store.backup?.(copy, { replace: true }))()).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('It is no regular file') as string,
    });
    expect(statSync(copy).isFIFO()).toBe(true);
    await store.close();
  });
});

describe('phasegate backup', () => {
  it('copies the store of the folder', async () => {
    const cwd = await files({
      'p.yaml': 'name: p\nphases: [{ name: a, tasks: [{ name: t, command: [echo, x] }] }]\n',
    });
    await phasegate(['run', 'p.yaml', '--run-id', 'r1'], { cwd });
    const { code, stdout } = await phasegate(['backup', 'copy.db'], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+ kB of runs are in copy\.db\n$/u) as string,
    });
    expect((await phasegate(['ls', '--store', 'copy.db'], { cwd })).stdout).toContain('r1');
    expect(await phasegate(['backup', 'copy.db'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot back up to ${join(cwd, 'copy.db')} as there is such a file
Name another file; or let it be replaced: \`--replace\`, or \`{ replace: true }\`.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#FILE_EXISTS
`,
    });
    expect(await phasegate(['backup', 'copy.db', '--replace'], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['backup', 'x.db', '--store', 'none.db'], { cwd })).toMatchObject({ code: 2 });
    expect(existsSync(join(cwd, 'x.db'))).toBe(false);
  });
});

describe('phasegate backup of a damaged store', () => {
  /** A folder whose store has two runs and a copy, and then damage of one of them. */
  async function damagedBy(statement: string): Promise<string> {
    const cwd = await files({
      'p.yaml': 'name: p\nphases: [{ name: a, tasks: [{ name: t, command: [echo, x] }] }]\n',
    });
    for (const id of ['r1', 'r2']) await phasegate(['run', 'p.yaml', '--run-id', id], { cwd });
    expect(await phasegate(['backup', 'copy.db', '--replace'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const db = connect(join(cwd, '.phasegate', 'runs.db'), { readOnly: false });
    db.exec(statement);
    db.close();
    return cwd;
  }

  const RECORD = `UPDATE records SET record = replace(record, 'run.started', 'run.Started')
    WHERE key >> 32 = (SELECT key FROM runs WHERE id = 'r1')`;

  it.each([
    ['a record', RECORD, 'Cannot read record 1 of run r1 as its text does not match its checksum'],
    ['its row', "UPDATE runs SET info = info || ' ' WHERE id = 'r1'", 'Cannot read the row of run r1'],
    [
      'the records',
      "DELETE FROM records WHERE key >> 32 = (SELECT key FROM runs WHERE id = 'r1')",
      'Cannot read record 1',
    ],
    [
      'a message',
      "INSERT INTO messages (run, message, sum) SELECT key, '{}', 1 FROM runs WHERE id = 'r1'",
      'Cannot read message 1 of run r1',
    ],
  ])('says which run is damaged, and keeps the copy: %s', async (_, statement, damage) => {
    const cwd = await damagedBy(statement);
    const { code, stdout, stderr } = await phasegate(['backup', 'new.db'], { cwd });
    expect(stdout).toMatch(/^\d+ kB of runs are in new\.db\n$/u);
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(`✗ r1: ${damage}`),
      'The copy may have the same damage. See what to do: phasegate verify',
      '',
    ]);
    expect(code).toBe(1);
    expect((await phasegate(['verify', '--store', 'new.db'], { cwd })).stdout).toMatch(/✓ r2[^]*✗ r1|✗ r1[^]*✓ r2/u);
  });

  it('says that the file is damaged if no run shows it', async () => {
    const cwd = await damagedBy("DELETE FROM runs WHERE id = 'r1'");
    const { code, stderr } = await phasegate(['backup', 'new.db', '--store', './.phasegate/runs.db'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `✗ ./.phasegate/runs.db: One run has records, but no row
The copy may have the same damage. See what to do: phasegate verify --store ./.phasegate/runs.db
`,
    });
  });

  it('does not replace an earlier copy', async () => {
    const cwd = await damagedBy(RECORD);
    for (let times = 1; times <= 2; times += 1) {
      const { code, stdout, stderr } = await phasegate(['backup', 'copy.db', '--replace'], { cwd });
      expect(stdout).toMatch(/ of runs are in copy\.db\.damaged\n$/u);
      expect(stderr).toContain('\ncopy.db was not replaced, as it may be undamaged.\n');
      expect(code).toBe(1);
    }
    expect((await phasegate(['verify', '--store', 'copy.db'], { cwd })).code).toBe(0);
    expect((await phasegate(['verify', '--store', 'copy.db.damaged'], { cwd })).code).toBe(1);
  });
});

// --- internal ---

function withGate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, resolve: () => open() };
}
