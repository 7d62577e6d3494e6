/** Files that commands write: none of them replaces the store, or the pipeline that was read. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqliteStore } from '../../src/sqlite.ts';
import { batchOf } from '../../src/testing/store/trial.ts';
import { containing } from './article.ts';
import { asNobody, files, main, mayMount, phasegate } from './cli.ts';

const PIPELINE = 'name: p\nphases: [{ name: a, tasks: [{ name: t, command: [echo, x] }] }]\n';
const STORE = join('.phasegate', 'runs.db');

/** The commands that write a file, up to its name. */
const WRITERS = [
  ['report', ['report', 'latest', '-o']],
  ['report --html', ['report', 'latest', '--html', '-o']],
  ['export', ['export', 'latest', '-o']],
  ['graph of a run', ['graph', 'latest', '-o']],
  ['graph of a pipeline', ['graph', 'p.yaml', '-o']],
  ['graph of a machine', ['graph', '--machine', 'phase', '-o']],
  ['coverage', ['coverage', '--html']],
  ['plan', ['plan', 'A goal.', '--agent', 'command:false', '--run-id', 'r2', '-o']],
] as const;

/** The names of standard output. */
const STANDARD = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

let cwd = '';

beforeEach(async () => {
  cwd = await files({ 'p.yaml': PIPELINE });
  expect((await phasegate(['run', 'p.yaml', '--run-id', 'r1'], { cwd })).code).toBe(0);
});

/** Expects the refusal of a file, and that all runs can be read as before. */
async function expectKept(args: readonly string[], file: string): Promise<void> {
  expect(await phasegate([...args, file], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `Cannot write "${file}" as it is a file of the store
Name another file.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#FILE_EXISTS
`,
  });
  expect((await phasegate(['verify'], { cwd })).code).toBe(0);
  expect((await phasegate(['show', 'r1'], { cwd })).stdout).toContain('completed');
}

/** Collects the content of files each time that a file is synchronized with the disk. */
async function atSyncs(names: () => readonly string[]): Promise<readonly (readonly string[])[]> {
  const seen: string[][] = [];
  const handle = await open(join(cwd, 'p.yaml'));
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const sync = vi.spyOn(prototype, 'sync');
  onTestFinished(() => sync.mockRestore());
  sync.mockImplementation(function (this: FileHandle) {
    seen.push(names().map((name) => readFileSync(join(cwd, name), 'utf8')));
    return this.datasync();
  });
  return seen;
}

it.each([
  ['report', 'latest'],
  ['report', 'latest', '--html'],
  ['export', 'latest'],
  ['graph', 'p.yaml'],
])('is standard output by each of its names: %s %s %s', async (...args) => {
  const printed = await phasegate(args, { cwd });
  expect(printed.code).toBe(0);
  for (const name of STANDARD) expect(await phasegate([...args, '-o', name], { cwd })).toEqual(printed);
  expect(existsSync(join(cwd, '-'))).toBe(false);
});

it.each([
  ['coverage', '--html'],
  ['plan', 'A goal.', '--agent', 'command:false', '--run-id', 'r2', '-o'],
])('is not standard output if that has other text: %s', async (...args) => {
  for (const name of STANDARD)
    expect(await phasegate([...args, name], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Cannot write to standard output') as string,
    });
  expect(existsSync(join(cwd, '-'))).toBe(false);
});

it.skipIf(process.platform === 'win32')('is added to if a stream of the process leads there', async () => {
  const log = join(cwd, 'log');
  for (const [name, stream] of [
    ['/dev/stdout', '>>'],
    ['/dev/stderr', '2>>'],
    ['/dev/fd/3', '3>>'],
  ] as const) {
    writeFileSync(log, 'before\n');
    const shell = `exec "$0" "$@" ${stream} log`;
    execFileSync('sh', ['-c', shell, process.execPath, main, 'graph', 'p.yaml', '-o', name], { cwd });
    expect(readFileSync(log, 'utf8')).toMatch(/^before\nflowchart [^]*\n$/u);
  }
});

it.each([...WRITERS, ['backup', ['backup']]] as const)('is no folder: %s', async (_name, args) => {
  await mkdir(join(cwd, 'old'));
  const names = readdirSync(cwd);
  for (const folder of ['old', 'old/', 'new/'])
    expect(await phasegate([...args, folder], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: containing(`Cannot write "${folder}" as it names a folder\n`),
    });
  expect(readdirSync(cwd)).toEqual(names);
  expect(readdirSync(join(cwd, 'old'))).toEqual([]);
});

describe('a file to write', () => {
  it.each(WRITERS)('is never the store: %s', async (_, args) => {
    symlinkSync(join(cwd, STORE), join(cwd, 'link.db'));
    symlinkSync(join(cwd, '.phasegate'), join(cwd, 'linked'));
    linkSync(join(cwd, STORE), join(cwd, 'hard.db'));
    await mkdir(join(cwd, 'folder'));
    for (const file of [
      STORE,
      join(cwd, STORE),
      'folder/../.phasegate/runs.db',
      'linked/runs.db',
      'link.db',
      'hard.db',
      `${STORE}-wal`,
      `${STORE}-shm`,
      `${STORE}-journal`,
      'linked/runs.db-wal',
    ])
      await expectKept(args, file);
  });

  it('is no file of the store through a link that leads nowhere yet', async () => {
    symlinkSync('.phasegate/runs.db-wal', join(cwd, 'later'));
    symlinkSync('later', join(cwd, 'much-later'));
    await expectKept(['report', 'latest', '-o'], 'much-later');
  });

  it('is not the store that the line or the environment names', async () => {
    expect((await phasegate(['backup', 'named.db'], { cwd })).code).toBe(0);
    symlinkSync('named.db', join(cwd, 'alias.db'));
    const refused = { code: 2, stdout: '', stderr: expect.stringContaining('is a file of the store') as string };
    const named = [
      ['named.db', 'named.db'],
      ['alias.db', 'named.db'],
      ['alias.db', 'alias.db'],
      ['alias.db', 'named.db-wal'],
    ] as const;
    for (const [store, file] of named) {
      expect(await phasegate(['report', 'r1', '--store', store, '-o', file], { cwd })).toEqual(refused);
      const env = { PHASEGATE_STORE: store };
      expect(await phasegate(['graph', 'p.yaml', '-o', file], { cwd, env })).toEqual(refused);
    }
    expect((await phasegate(['show', 'r1', '--store', 'named.db'], { cwd })).code).toBe(0);
  });

  it.each(WRITERS)('is never another store, nor a file next to it: %s', async (_, args) => {
    // The store is open, so its mark may still be in its log.
    const other = sqliteStore(join(cwd, 'other.db'));
    await other.append(batchOf('r9', 1));
    symlinkSync('other.db', join(cwd, 'link.db'));
    for (const file of [
      'other.db',
      join(cwd, 'other.db'),
      'link.db',
      'other.db-wal',
      'other.db-shm',
      'other.db-journal',
    ])
      expect(await phasegate([...args, file], { cwd })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(
          `Cannot write "${file}" as it is a file of a database, such as another store\nName another file.\n`,
        ) as string,
      });
    expect(await other.run('r9')).toMatchObject({ seq: 1 });
    await other.close();
  });

  it('is not the place of a store that does not exist yet', async () => {
    const empty = await files({ 'p.yaml': PIPELINE });
    const { code, stderr } = await phasegate(['graph', 'p.yaml', '-o', STORE], { cwd: empty });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`Cannot write "${STORE}" as it is a file of the store`),
    ]);
    expect(existsSync(join(empty, '.phasegate'))).toBe(false);
  });

  it('is not the pipeline that the picture is of, nor is its code run before that is found', async () => {
    const code = `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('ran', import.meta.url), '');\n`;
    const folder = await files({ 'p.yaml': PIPELINE, 'p.mjs': code });
    symlinkSync('p.yaml', join(folder, 'link.svg'));
    linkSync(join(folder, 'p.mjs'), join(folder, 'hard.svg'));
    for (const [pipeline, out] of [
      ['p.yaml', 'p.yaml'],
      ['p.yaml', './p.yaml'],
      ['p.yaml', 'link.svg'],
      ['link.svg', 'p.yaml'],
      ['p.mjs', 'hard.svg'],
    ] as const)
      expect(await phasegate(['graph', pipeline, '-o', out], { cwd: folder })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(
          `Cannot write "${out}" as it is the pipeline file\nName another file.\n`,
        ) as string,
      });
    expect(readFileSync(join(folder, 'p.yaml'), 'utf8')).toBe(PIPELINE);
    expect(readFileSync(join(folder, 'p.mjs'), 'utf8')).toBe(code);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it.each(WRITERS.filter(([name]) => !['graph of a pipeline', 'graph of a machine', 'plan'].includes(name)))(
    'is not the definition of the run, by any path: %s',
    async (_, args) => {
      symlinkSync('p.yaml', join(cwd, 'link.svg'));
      for (const out of ['p.yaml', 'link.svg'])
        expect(
          await phasegate([...args, out, ...(args[0] === 'graph' ? ['--format', 'svg'] : [])], { cwd }),
        ).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining(`Cannot write "${out}" as `) as string,
        });
      expect(
        (await phasegate([...args, 'p.yaml', ...(args[0] === 'graph' ? ['--format', 'svg'] : [])], { cwd })).stderr,
      ).toContain('is the definition of run r1\n');
      expect(readFileSync(join(cwd, 'p.yaml'), 'utf8')).toBe(PIPELINE);
    },
  );

  it.each(WRITERS)('is no file of phasegate: %s', async (_, args) => {
    symlinkSync('.phasegate', join(cwd, 'linked'));
    const own = readFileSync(join(cwd, '.phasegate', '.gitignore'), 'utf8');
    for (const out of ['.phasegate/.gitignore', '.phasegate/fleets/r.json', 'linked/x.svg'])
      expect(await phasegate([...args, out], { cwd })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(
          `Cannot write "${out}" as .phasegate is the folder of phasegate's own files\nName another file.\n`,
        ) as string,
      });
    expect(readFileSync(join(cwd, '.phasegate', '.gitignore'), 'utf8')).toBe(own);
    const elsewhere = await phasegate([...args, 's.db.session', '--store', 's.db'], { cwd });
    expect(elsewhere.stderr).toContain('Cannot write "s.db.session" as it is a file of the store');
  });

  it('is replaced if it is any other file, also with the name of the run', async () => {
    const written = ['report.md', 'r1', 'runs.db.svg', 'runs.db'];
    for (const out of [...written, ...written])
      expect(await phasegate(['report', 'r1', '-o', out], { cwd })).toMatchObject({ code: 0, stderr: '' });
    for (const out of written) expect(readFileSync(join(cwd, out), 'utf8')).not.toBe('');
    expect((await phasegate(['verify'], { cwd })).code).toBe(0);
  });

  it.each(WRITERS.filter(([name]) => name !== 'plan'))(
    'keeps its permissions, and is the target of a link: %s',
    async (name, args) => {
      writeFileSync(join(cwd, 'old.svg'), 'old');
      chmodSync(join(cwd, 'old.svg'), 0o606);
      symlinkSync('old.svg', join(cwd, 'link.svg'));
      symlinkSync('new.svg', join(cwd, 'early.svg'));
      const names = readdirSync(cwd);
      for (const out of ['link.svg', 'early.svg'])
        expect(await phasegate([...args, out], { cwd })).toMatchObject({ code: 0, stderr: '' });
      expect(['link.svg', 'early.svg'].every((link) => lstatSync(join(cwd, link)).isSymbolicLink())).toBe(true);
      expect(readFileSync(join(cwd, 'old.svg'), 'utf8')).not.toBe('old');
      // An export has inputs and outputs, so only its owner can read it.
      expect(statSync(join(cwd, 'old.svg')).mode & 0o777).toBe(name === 'export' ? 0o600 : 0o606);
      expect(readdirSync(cwd)).toEqual([...names, 'new.svg'].toSorted());
    },
  );

  it.each(WRITERS.filter(([name]) => name !== 'plan'))(
    'is on the disk before it replaces another: %s',
    async (_, args) => {
      const old = join(cwd, 'old.svg');
      writeFileSync(old, 'old');
      const seen = await atSyncs(() => ['old.svg', ...readdirSync(cwd).filter((name) => name.endsWith('.part'))]);
      expect(await phasegate([...args, 'old.svg'], { cwd })).toMatchObject({ code: 0, stderr: '' });
      expect(seen).toEqual([['old', readFileSync(old, 'utf8')]]);
    },
  );

  it('is on the disk before the command goes on, if it must be new', async () => {
    const seen = await atSyncs(() => ['pipeline.yaml']);
    expect(await phasegate(['init', 'yaml'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(seen).toEqual([[readFileSync(join(cwd, 'pipeline.yaml'), 'utf8')]]);
  });

  it('may have the longest name that there is', async () => {
    const name = `${'x'.repeat(251)}.svg`;
    expect(await phasegate(['graph', 'p.yaml', '-o', name], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const longer = await phasegate(['graph', 'p.yaml', '-o', `x${name}`], { cwd });
    expect(longer).toMatchObject({ code: 2, stderr: containing(`Cannot write "x${name}": ENAMETOOLONG`) });
    expect(readdirSync(cwd).toSorted()).toEqual(['.phasegate', 'p.yaml', name]);
  });

  it.skipIf(process.platform === 'win32')('is written if its folder takes no new one', async () => {
    const old = join(cwd, 'out/old.svg');
    await mkdir(join(cwd, 'out'));
    writeFileSync(old, 'old');
    chmodSync(old, 0o666);
    for (const [folder, mode] of [
      [cwd, 0o755],
      [join(cwd, 'out'), 0o555],
    ] as const)
      chmodSync(folder, mode);
    const graph = (file: string) => asNobody(['graph', 'p.yaml', '-o', file], cwd);
    expect(await graph('out/old.svg')).toBe('');
    expect(readFileSync(old, 'utf8')).toContain('<svg');
    expect(await graph('out/new.svg')).toContain('Cannot write "out/new.svg": EACCES');
    chmodSync(join(cwd, 'out'), 0o755);
  });

  it.runIf(mayMount)('is written if it is a mount, as in a container', async () => {
    for (const name of ['there.svg', 'old.svg']) writeFileSync(join(cwd, name), 'old');
    execFileSync('mount', ['--bind', join(cwd, 'there.svg'), join(cwd, 'old.svg')]);
    try {
      expect(await phasegate(['graph', 'p.yaml', '-o', 'old.svg'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    } finally {
      execFileSync('umount', [join(cwd, 'old.svg')]);
    }
    expect(readFileSync(join(cwd, 'there.svg'), 'utf8')).toContain('<svg');
    expect(readdirSync(cwd).toSorted()).toEqual(['.phasegate', 'old.svg', 'p.yaml', 'there.svg']);
  });

  it.skipIf(process.platform === 'win32')('is written to if it is a named pipe', async () => {
    const pipe = join(cwd, 'pipe.svg');
    execFileSync('mkfifo', [pipe]);
    for (const args of [
      ['graph', 'p.yaml'],
      ['export', 'r1'],
    ]) {
      const [read, written] = await Promise.all([
        readFile(pipe, 'utf8'),
        phasegate([...args, '-o', 'pipe.svg'], { cwd }),
      ]);
      expect(written).toMatchObject({ code: 0, stderr: '' });
      expect(read.endsWith('\n')).toBe(true);
      expect(lstatSync(pipe).isFIFO()).toBe(true);
    }
  });
});
