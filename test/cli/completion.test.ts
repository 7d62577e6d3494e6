/** Completion of the command line: its candidates, and real shells that use them. */
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/sqlite.ts';
import { definePipeline, phase, readRun, runPipeline, task } from '../../src/index.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { isRunId } from '../../src/store/run-id.ts';
import { files, phasegate, phasegateProcess } from './cli.ts';
import { completed, completedOnly, missing, type Shell } from './shells.ts';

const STORE = '.phasegate/runs.db';

/** A pipeline whose run waits for a person. */
const ASKING = `name: letter
phases:
  - name: draft
    tasks: [{ name: write, command: [echo, text] }]
    review: { by: { command: [echo, 'ESCALATE: Is it good?'] } }
`;

const noted = definePipeline({ name: 'note', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

/** Returns the candidates for a line: the first is their kind, and the others are words. */
async function offered(line: string, cwd?: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { code, stdout, stderr } = await phasegate(['__complete', '--', ...line.split(' ')], {
    ...(cwd !== undefined && { cwd }),
    env,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').flatMap((one) => one.split('\t')[0] || []);
}

describe('candidates', () => {
  it.each<[line: string, words: readonly string[]]>([
    ['gr', ['words', 'graph']],
    ['nonsense', ['words']],
    ['inbox ', ['words', 'ls', 'show', 'answer', 'help']],
    ['help mem', ['words', 'memory']],
    ['init ', ['words', 'ts', 'yaml']],
    ['completion ', ['words', 'bash', 'zsh', 'fish']],
    ['init ts ', ['words']],
    ['graph --format ', ['words', 'mermaid', 'dot', 'svg']],
    ['graph -f d', ['words', 'dot']],
    ['graph --format=s', ['words', '--format=svg']],
    ['graph --nonsense=', ['words']],
    ['graph --mach', ['words', '--machine']],
    ['inbox answer 1 --re', ['words', '--retry', '--rewind', '--reclassify', '--reject']],
    ['inbox answer 1 --rewind draft it --ap', ['words', '--approve']],
    ['ls --status wa', ['words', 'waiting']],
    ['ls --status waiting,fail', ['words', 'waiting,failed']],
    ['run --max-cost 5 ', ['files ts mts cts js mjs cjs yaml yml']],
    ['run --inspect ', ['files ts mts cts js mjs cjs yaml yml']],
    ['run -- ', ['files ts mts cts js mjs cjs yaml yml']],
    ['run a.ts ', ['words']],
    ['run a.ts --input-file ', ['files']],
    ['import ', ['files']],
    ['ls --c', ['words', '--color']],
    ['ls --sort t', ['words', 'tokens', 'tags']],
  ])('%s', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('include every command and every option of the help', async () => {
    const look = async (path: readonly string[]): Promise<void> => {
      const { stdout: help } = await phasegate([...path, '--help']);
      const shown = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gmu)].map(([, flag = '']) => flag);
      const flags = await offered([...path, '--'].join(' '));
      expect(flags.slice(1), path.join(' ')).toEqual(expect.arrayContaining(shown));
      const [, rest = ''] = /^Options:\n(?:  .*\n)+\n((?:.|\n)*?)^Examples:$/mu.exec(help) ?? [];
      const told = [...rest.matchAll(/^ {2}([\w]+)[ |]/gmu)].map(([, name = '']) => name);
      if (told.length === 0) return;
      const commands = await offered([...path, ''].join(' '));
      expect(commands.slice(1).toSorted()).toEqual(told.toSorted());
      for (const name of told.filter((one) => one !== 'help')) await look([...path, name]);
    };
    await look([]);
  });
});

/** Creates a folder with runs, of which one waits for a person. */
async function withRuns(content: Readonly<Record<string, string>> = {}, ...runIds: readonly string[]): Promise<string> {
  const cwd = await files({ 'letter.yaml': ASKING, ...content });
  await phasegate(['run', 'letter.yaml', '--run-id', 'asked'], { cwd });
  const store = sqliteStore(join(cwd, STORE));
  for (const runId of runIds) {
    if (isRunId(runId)) await runPipeline(noted, { store, runId });
    // An earlier version has kept a run with another id.
    else await copyRun(store, runId, await readRun(store, 'first'), { startedAt: Date.now() });
  }
  await store.close();
  return cwd;
}

describe('runs and items', () => {
  it('are those of the store, the latest first, without any that a shell would interpret', async () => {
    const cwd = await withRuns({}, 'first', 'second', '$(touch pwned)', 'a b', '-x');
    expect(await offered('show ', cwd)).toEqual(['words', 'latest', 'second', 'first', 'asked']);
    expect(await offered('doctor first s', cwd)).toEqual(['words', 'second']);
    expect((await offered('graph ', cwd)).slice(0, 2)).toEqual(['files ts mts cts js mjs cjs yaml yml', 'latest']);
    expect(await offered('inbox show ', cwd)).toEqual(['words', expect.stringMatching(/^asked:\d+$/u)]);
    const { stdout } = await phasegate(['__complete', '--', 'show', ''], { cwd });
    expect(stdout).toContain('\nsecond\tnote, completed\n');
    expect(stdout).toContain('\nasked\tletter, waiting\n');
  });

  it('have tags, those of the latest runs first', async () => {
    const cwd = await withRuns();
    const store = sqliteStore(join(cwd, STORE));
    await runPipeline(noted, { store, runId: 'x', tags: ['team=ads', 'nightly', 'a/b=c:d@e'] });
    await runPipeline(noted, { store, runId: 'y', tags: ['team=search', 'nightly'] });
    await store.close();
    const tags = ['nightly', 'team=search', 'a/b=c:d@e', 'team=ads'];
    expect(await offered('ls --tag ', cwd)).toEqual(['words', ...tags]);
    expect(await offered('run p.mjs --tag team=', cwd)).toEqual(['words', 'team=search', 'team=ads']);
    expect(await offered('ls --tag=team=s', cwd)).toEqual(['words', '--tag=team=search']);
    expect((await phasegate(['__complete', '--', 'ls', '--tag', 'n'], { cwd })).stdout).toContain('nightly\t2 runs\n');
  });

  it('are those of the store that the line or the environment names', async () => {
    const cwd = await withRuns({}, 'first');
    const other = await files({});
    expect(await offered('show ', other)).toEqual(['words']);
    expect(await offered(`show --store ${join(cwd, STORE)} f`, other)).toEqual(['words', 'first']);
    expect(await offered(`show --store=${join(cwd, STORE)} f`, other)).toEqual(['words', 'first']);
    expect(await offered('show f', other, { PHASEGATE_STORE: join(cwd, STORE) })).toEqual(['words', 'first']);
    expect(existsSync(join(other, '.phasegate'))).toBe(false);
  });

  it('are empty, without an error, if a store cannot be read', async () => {
    const broken = await files({ [STORE]: 'no database' });
    expect(await offered('show ', broken)).toEqual([]);
    await chmod(join(broken, STORE), 0o200);
    expect(await offered('show ', broken)).toEqual([]);
  });

  it('are 50 at most', async () => {
    const many = await withRuns({}, ...Array.from({ length: 60 }, (_, index) => `run${index}`));
    expect((await offered('show ', many)).length).toBe(1 + 1 + 50);
  });
});

describe('the script', () => {
  it('is printed for each shell, and for no other', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout, stderr } = await phasegateProcess(['completion', shell]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('phasegate __complete -- ');
    }
    const { code, stderr } = await phasegateProcess(['completion', 'csh']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish.');
  });

  /** Words that replace the last one of a line. */
  const cases: readonly { readonly line: string; readonly words: readonly string[] }[] = [
    { line: 'gr', words: ['graph'] },
    { line: 'graph --format=s', words: ['--format=svg'] },
    { line: 'graph --machine ', words: ['phase', 'lifecycle', 'pipeline'] },
    { line: 'show ', words: ['latest', 'second', 'asked'] },
    { line: 'show se', words: ['second'] },
    { line: 'check le', words: ['letter.yaml', 'letters/'] },
    { line: 'check my', words: ['my letter.yaml'] },
    { line: 'show --store=no', words: ['--store=notes.txt'] },
    { line: 'show latest --store no', words: ['notes.txt'] },
  ];

  it.for<Shell>(['bash', 'zsh', 'fish'])(
    'has %s complete commands, values, runs, items and files',
    async (shell, { skip }) => {
      skip(missing(shell) !== undefined, missing(shell));
      const there = { 'my letter.yaml': ASKING, 'letters/a.ts': '', 'letter.txt': '', 'notes.txt': '' };
      const cwd = await withRuns(there, 'second');
      const [item = ''] = (await offered('inbox show ', cwd)).slice(1);
      const all = [...cases, { line: `inbox show ${item.slice(0, 6)}`, words: [item] }];
      const lines = all.map(({ line }) => `phasegate ${line}`);
      // A shell that completes interactively adds a slash to a folder, as it is the only candidate. It does not if it
      // inserts all of them.
      const whole = all.map(({ line, words }) => [
        'phasegate',
        ...line.split(' ').slice(0, -1),
        ...words.map((word) => word.replace(/\/$/u, '')),
      ]);
      expect(await completed(shell, cwd, lines)).toEqual(shell === 'fish' ? all.map(({ words }) => words) : whole);
    },
  );

  it.for<Shell>(['bash', 'zsh', 'fish'])('keeps %s from running typed text', async (shell, { skip }) => {
    skip(missing(shell) !== undefined, missing(shell));
    const cwd = await files({});
    const typed = shell === 'fish' ? 'run (touch pwned) --js' : 'run $(touch pwned) --js';
    await completedOnly(shell, cwd, `phasegate ${typed}`);
    expect(existsSync(join(cwd, '.home', 'phasegate'))).toBe(true);
    expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  });
});
