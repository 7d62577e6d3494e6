/** Advice of commands: a suggested command must work as printed. */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, readRun, retry, startRun, task } from '../../src/index.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect, type Database } from '../../src/store/sqlite/driver.ts';
import { containing } from './article.ts';
import { asNobody, files, phasegate } from './cli.ts';

const SPENT = {
  costUsd: ['retry r1', 'costUsd: 1', `[phase('a', { tasks: [paid('t'), paid('u')] })]`],
  tokens: [
    'retry r1',
    'tokens: 5',
    `[phase('a', { tasks: [task('t', { run: ({ report }) => report({ tokens: 9 }) })] })]`,
  ],
  corrections: [
    'fork r1 --at 14 --run',
    'corrections: 1',
    `[phase('a', { tasks: [paid('t')], review: ({ attempt }) => attempt > 1 ? 'APPROVE' : retry('Again.') })]`,
  ],
};

function moduleOf([, limit, phases]: readonly string[]): string {
  return `import { definePipeline, phase, retry, task } from 'phasegate';
    const paid = (name) => task(name, { estimate: { costUsd: 0.6 }, run: ({ report }) => report({ costUsd: 0.6 }) });
    export default definePipeline({ name: 'p', limits: { ${limit} }, phases: ${phases} });`;
}

describe('a run whose limit is spent', () => {
  it.each(Object.entries(SPENT))('resumes by the command that it prints, once %s is raised', async (limit, made) => {
    const text = moduleOf(made);
    const cwd = await files({ 'p.mjs': text });
    const store = ['--store', 'x.db'];
    const ended = await phasegate(['run', 'p.mjs', '--run-id', 'r1', ...store], { cwd });
    const command = `${made[0]} --allow-changed --store x.db`;
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(
      `  raise limits.${limit} in ${join(cwd, 'p.mjs')}, then: phasegate ${command}`,
    );
    await writeFile(join(cwd, 'p.mjs'), text.replace(/(?<=limits: \{ \w+: )\d/u, '90'));
    const refused = await phasegate(['retry', 'r1', ...store], { cwd });
    expect(refused.stderr).toContain('add --allow-changed, if only limits or phases');
    const { code, stdout } = await phasegate(command.split(' '), { cwd });
    expect(stdout).toContain('✓ completed');
    expect(stdout).not.toContain('raise');
    expect(code).toBe(0);
  });
});

describe('a run in a state that a command does not take', () => {
  it('is named in the command that works, and the command in the refusal', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, human, phase, task } from 'phasegate';
        export default definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })] });`,
    });
    const refused = async (...args: readonly string[]) =>
      (await phasegate(args, { cwd })).stderr.split('\n').slice(0, 2);
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    expect(await refused('retry', 'r1')).toEqual([
      'Cannot try run r1 again as it has not ended',
      'Resume it: phasegate resume r1. Approved phases do not run again.',
    ]);
    const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
    const lease = await store.acquire('r1', 'server:77', 60_000);
    const wait = 'Wait until that process releases the run; `phasegate cancel` asks it to stop.';
    for (const [command, action] of [
      ['resume', 'resume'],
      ['retry', 'retry'],
      ['rm', 'remove'],
    ] as const)
      expect(await refused(command, 'r1')).toEqual([
        containing(`Cannot ${action} run r1 as server:77 works on it until `),
        wait,
      ]);
    await phasegate(['export', 'r1', '-o', 'r1.jsonl'], { cwd });
    const held = await store.acquire('r2', 'server:77', 60_000);
    expect(await refused('import', 'r1.jsonl', '--run-id', 'r2')).toEqual([
      containing('Cannot import run r2 as server:77 works on it until '),
      'Wait until that process has stored the run, or name another id with --run-id.',
    ]);
    expect(await phasegate(['import', 'r1.jsonl', '--run-id', 'r3'], { cwd })).toMatchObject({ code: 0 });
    await Promise.all([store.release(lease), store.release(held)]);
    const [id = ''] = (await store.inbox()).map((item) => item.id);
    await store.close();
    await phasegate(['inbox', 'answer', id, '--value', '"x"'], { cwd });
    expect(await phasegate(['resume', 'r1'], { cwd })).toMatchObject({ code: 0 });
    expect(await refused('resume', 'r1')).toEqual([
      'Cannot resume run r1 as it was completed',
      'Run a part of it again in a fork: phasegate fork r1 --at <phase>',
    ]);
  });
});

describe('a run with records that no run can have written', () => {
  it('goes on in a fork, by the commands that it prints', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
        const one = [task('t', { run: () => 1 })];
        export default definePipeline({ name: 'p', phases: [phase('a', { tasks: one, review: () => 'APPROVE' }), phase('b', { after: ['a'], tasks: one })] });`,
    });
    await phasegate(['run', 'p.mjs', '--run-id', 'r', '--store', 'true.db'], { cwd });
    const [store, forged] = [sqliteStore(join(cwd, 'true.db')), sqliteStore(join(cwd, 'forged.db'))];
    const begun = (await readRun(store, 'r')).filter(({ event }) => !('phase' in event) || event.phase === 'a');
    const unreviewed = begun.filter(({ event }) => event.type !== 'run.ended' && !event.type.startsWith('review.'));
    const records = unreviewed.map((record, index) => ({ ...record, seq: index + 1 }));
    await copyRun(forged, 'r', records, { startedAt: 1, source: join(cwd, 'p.mjs') });
    await Promise.all([store.close(), forged.close()]);
    const at = ['--store', 'forged.db'];
    const { stderr, code } = await phasegate(['resume', 'r', ...at], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('let `phasegate verify r` find its good records')]);
    expect(stderr).toContain('That command needs --store forged.db.');
    const { stdout } = await phasegate(['verify', 'r', ...at], { cwd });
    const [, command = ''] = /phasegate (fork r --at \d+ --store forged\.db)/u.exec(stdout) ?? [];
    const { stdout: next } = await phasegate(command.split(' '), { cwd });
    const [, resume = ''] = /phasegate (resume \S+ .*)/u.exec(next) ?? [];
    const resumed = await phasegate([...resume.split(' ').slice(0, 2), 'p.mjs', ...at], { cwd });
    expect(resumed.stdout).toContain('✓ completed');
  });
});

describe.skipIf(process.platform === 'win32')('a store that may not be written', () => {
  it('is read from the copy that the advice makes, with the records of its log', async () => {
    const cwd = await files({ 'used/x': '', 'medium/x': '', 'copy/x': '' });
    const store = sqliteStore(join(cwd, 'used/x.db'));
    const a = phase('a', { tasks: [task('t', { run: () => 1 })] });
    await startRun(definePipeline({ name: 'p', phases: [a] }), { store, runId: 'r1' }).result;
    // A process that was killed leaves its log. SQLite removes that of a closed store.
    for (const file of ['x.db', 'x.db-wal']) await copyFile(join(cwd, 'used', file), join(cwd, 'medium', file));
    await store.backup?.(join(cwd, 'medium/backup.db'));
    await store.close();
    for (const file of ['x.db', 'x.db-wal', 'backup.db']) await chmod(join(cwd, 'medium', file), 0o444);
    await Promise.all([chmod(cwd, 0o755), chmod(join(cwd, 'medium'), 0o555)]);
    const at = ['--store', 'medium/x.db'];
    const refusals = [];
    for (const args of [['ls'], ['show', 'r1'], ['backup', join(cwd, 'copy/y.db')]])
      refusals.push((await asNobody([...args, ...at], cwd)).split('\n').slice(0, 2));
    const [path, log] = [join(cwd, 'medium/x.db'), join(cwd, 'medium/x.db-wal')];
    const copying = `cp ${path} ${log} <folder>`;
    expect(refusals).toEqual(
      refusals.map(() => [
        `Cannot read the store ${path} as its folder may not be written, and SQLite needs files next to it`,
        `While no process uses it, copy it to a folder that you may write to, and read the copy: ${copying}`,
      ]),
    );
    execFileSync('sh', ['-c', copying.replace('<folder>', 'copy')], { cwd });
    await Promise.all(['x.db', 'x.db-wal'].map((file) => chmod(join(cwd, 'copy', file), 0o644)));
    expect((await phasegate(['ls', '--store', 'copy/x.db'], { cwd })).stdout).toContain('r1   completed');
    // A backup has no log, so that it can be read in place.
    expect(await asNobody(['show', 'r1', '--store', 'medium/backup.db'], cwd)).toBe('');
    await chmod(join(cwd, 'medium'), 0o755);
  });

  it('is named, with the options that commands have', async () => {
    const cwd = await files({ 'p.mjs': moduleOf(['', 'costUsd: 9', `[phase('a', { tasks: [paid('t')] })]`]) });
    await phasegate(['run', 'p.mjs', '--run-id', 'r', '--store', 'x.db'], { cwd });
    await Promise.all([chmod(cwd, 0o755), chmod(join(cwd, 'x.db'), 0o444)]);
    const stderr = await asNobody(['rm', 'r', '--store', 'x.db'], cwd);
    expect(stderr).toContain('Give this user the right to write there, or name another file with --store.');
    expect(stderr).toContain('Only `run` can do without a store: --no-store.');
    expect((await phasegate(['rm', 'r', '--no-store'], { cwd })).stderr).toContain("unknown option '--no-store'");
    expect(await asNobody(['run', 'p.mjs', '--no-store'], cwd)).toBe('');
  });
});

it.each([
  ['later', (db: Database) => db.exec('PRAGMA user_version = 99'), /^Update phasegate; or export runs/u],
  ['of another program', (db: Database) => db.exec('PRAGMA application_id = 1'), /^Give the path of a store/u],
])('a store that is %s gets the advice that fits', async (_what, change, advice) => {
  const cwd = await files({});
  await sqliteStore(join(cwd, 'x.db')).close();
  const db = connect(join(cwd, 'x.db'), { readOnly: false });
  change(db);
  db.close();
  const { code, stderr } = await phasegate(['ls', '--store', 'x.db'], { cwd });
  expect([code, stderr.split('\n')[1]]).toEqual([2, expect.stringMatching(advice)]);
});

describe('a run whose own limit is spent', () => {
  it.each([
    ['--max-cost', '1', 'retry r1 --max-cost <usd>', '9'],
    ['--timeout', '0s', 'retry r1 --timeout <duration>', '10m'],
    ['--max-attempts', '1', 'fork r1 --at 7 --run --max-attempts <count>', '9'],
  ])('by %s %s resumes with more, by the command that it prints', async (flag, little, command, more) => {
    const text = moduleOf([
      '',
      'costUsd: 50',
      `[phase('a', { tasks: [paid('t')], review: ({ attempt }) => attempt > 1 ? 'APPROVE' : retry('Again.') })]`,
    ]);
    const cwd = await files({ 'p.mjs': text });
    const ended = await phasegate(['run', 'p.mjs', '--run-id', 'r1', flag, little], { cwd });
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(`  give it more: phasegate ${command}`);
    const unchanged = await phasegate(['retry', 'r1'], { cwd });
    expect(unchanged.code).toBe(1);
    const { code, stdout } = await phasegate(command.replace(/<\w+>/u, more).split(' '), { cwd });
    expect(stdout).toContain('✓ completed');
    expect(code).toBe(0);
  });

  it('of a program names the function that the program has to call', async () => {
    const phases = `[phase('a', { tasks: [task('t', { run: () => 1 })], review: () => retry('Again.') })]`;
    const cwd = await files({ 'p.mjs': moduleOf(['', 'costUsd: 50', phases]) });
    const a = phase('a', { tasks: [task('t', { run: () => 1 })], review: () => retry('Again.') });
    const pipeline = definePipeline({ name: 'p', limits: { costUsd: 50 }, phases: [a] });
    const store = sqliteStore(join(cwd, 'x.db'));
    await startRun(pipeline, { store, runId: 'r1', limits: { corrections: 0 } }).result;
    await store.close();
    const again = await phasegate(['retry', 'r1', 'p.mjs', '--store', 'x.db'], { cwd });
    expect(again.stdout.trimEnd().split('\n').at(-1)).toBe(
      '  the run was given limits.corrections by a program: raise it there, with retryRun()',
    );
  });
});

describe('the store that is named', () => {
  it('is part of the advice if a run is not known', async () => {
    const cwd = await files({ 'p.mjs': moduleOf(SPENT.tokens) });
    await phasegate(['run', 'p.mjs', '--store', 'x.db'], { cwd });
    const unknown = await phasegate(['show', 'nope', '--store', 'x.db'], { cwd });
    expect(unknown.stderr).toContain('List the runs with: phasegate ls --store x.db\n');
    const usual = await phasegate(['show', 'nope'], { cwd, env: { PHASEGATE_STORE: 'x.db' } });
    expect(usual.stderr).toContain('List the runs with: phasegate ls\n');
  });
});

describe('a folder without stored runs', () => {
  it.each([['inbox'], ['memory'], ['doctor'], ['ls'], ['report', 'latest']])('is reported by %s', async (...args) => {
    const cwd = await files({});
    expect(await phasegate(args, { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot look for runs in .phasegate/runs.db as no run was stored in this folder yet
Start one with: phasegate run <pipeline>. Name a store in another place with --store <file>.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#STORE_UNREADABLE
`,
    });
  });

  it('is not mentioned if another store was named', async () => {
    const { code, stderr } = await phasegate(['ls', '--store', 'x.db'], { cwd: await files({}) });
    expect(stderr).toContain('Cannot look for runs in x.db as there is no such file\nCorrect the name; ');
    expect(code).toBe(2);
  });
});
