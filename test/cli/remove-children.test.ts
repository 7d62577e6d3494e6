/** `phasegate rm` and `phasegate gc` of runs whose tasks have started others. */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeStored } from '../../src/cli/commands/rm.ts';
import type { RunInfo } from '../../src/projections/run/run-info.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { batchOf } from '../../src/testing/store/trial.ts';
import { containing } from './article.ts';
import { files, phasegate } from './cli.ts';

/** A pipeline whose task starts two runs, one in the other. The inner one asks a person. */
const NESTED = `
import { definePipeline, human, phase, task } from 'phasegate';
const inner = definePipeline({ name: 'inner', phases: [
  phase('name', { tasks: [task('ask', { run: human({ question: 'Which name?' }) })] }),
] });
const middle = definePipeline({ name: 'middle', phases: [phase('go', { tasks: [task('on', { pipeline: () => inner })] })] });
export default definePipeline({ name: 'outer', phases: [phase('build', { tasks: [task('all', { pipeline: () => middle })] })] });
`;

const MIDDLE = 'p1/build/0/0/task/all';
const INNER = `${encodeURIComponent(MIDDLE)}/go/0/0/task/on`;
/** A question of a reviewer that is an agent. */
const QUESTION = 'p1/build/0.review.1.question-1-1-f00d/0/task/all';

/** The lines of `rm` and `gc` for the runs of the pipeline. */
const REMOVED = [
  `removed run ${INNER} of "inner"`,
  `removed run ${MIDDLE} of "middle"`,
  'removed run p1 of "outer"',
] as const;

/** A folder with a run of the pipeline, which waits for a person, and its commands. */
async function waiting() {
  const cwd = await files({ 'p.mjs': NESTED });
  const command = (...args: readonly string[]) => phasegate(args, { cwd });
  expect(await command('run', 'p.mjs', '--run-id', 'p1')).toMatchObject({ code: 3 });
  return command;
}

/** A folder with a store of runs with given values, the earliest first, and its commands. */
async function stored(runs: Readonly<Record<string, Partial<RunInfo>>>) {
  const cwd = await files({});
  const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
  onTestFinished(async () => store.close());
  for (const [runId, info] of Object.entries(runs)) await store.append(batchOf(runId, 1, { info }));
  const left = async () => (await store.runs()).map(({ runId }) => runId).toSorted();
  return { cwd, store, left, command: (...args: readonly string[]) => phasegate(args, { cwd }) };
}

const completed = { status: 'completed' } as const;
const family = { p1: completed, [MIDDLE]: completed, [INNER]: completed } as const;

/** Removes the runs of a family in this process, with a call after the first one. Returns the lines. */
async function removal(cwd: string, afterFirst: () => unknown): Promise<readonly string[]> {
  const said: string[] = [];
  const stdout = Object.assign(new PassThrough(), {
    write: (text: string) => {
      said.push(text);
      if (said.length === 1) afterFirst();
      return true;
    },
  });
  await removeStored(['p1'], {}, { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: {}, cwd });
  return said;
}

/** Changes a row of the run in the middle. */
function damage(cwd: string): void {
  const db = connect(join(cwd, '.phasegate/runs.db'), { readOnly: false });
  onTestFinished(() => db.close());
  db.prepare('UPDATE runs SET info = replace(info, ?, ?) WHERE id = ?').run('f00d', 'f00e', MIDDLE);
}

describe('phasegate rm', () => {
  it('removes the runs that tasks have started with their answers, the deepest first', async () => {
    const command = await waiting();
    const item = (await command('inbox', '--json')).stdout;
    const { id } = JSON.parse(item) as { id: string };
    await command('inbox', 'answer', id, '--value', '"OLD"');
    expect((await command('resume', 'p1')).code).toBe(0);
    const { stdout, code } = await command('rm', 'p1');
    expect([stdout.trimEnd().split('\n'), code]).toEqual([REMOVED, 0]);
    expect((await command('search', 'OLD')).stdout).not.toContain('"OLD"');
    expect(await command('run', 'p.mjs', '--run-id', 'p1')).toMatchObject({ code: 3 });
  });

  it('leaves no question of them open', async () => {
    const command = await waiting();
    await command('rm', 'p1');
    expect((await command('inbox', '--json')).stdout).toBe('');
  });

  it('removes all levels, questions of agents, and runs whose own parent is missing; no other', async () => {
    const others = ['p10', 'p10/build/0/0/task/all', 'mine'];
    const { command, left } = await stored(
      Object.fromEntries(['p1', INNER, QUESTION, ...others].map((id) => [id, completed])),
    );
    expect((await command('rm', 'p1')).stdout).toMatch(/ p1 of "article"\n$/u);
    expect(await left()).toEqual(others.toSorted());
  });

  it.each([INNER, 'p1'])('removes no run while a process works on %s', async (worked) => {
    const { command, left, store } = await stored({ ...family, [INNER]: {}, other: completed });
    const lease = await store.acquire(worked, 'somebody', 600_000);
    const refused = await command('rm', 'p1');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`Cannot remove run ${worked} as somebody works on it`);
    expect((await command('rm', 'other', 'p1')).stdout).toBe('');
    expect(await left()).toHaveLength(4);
    await store.release(lease);
    expect((await command('rm', 'p1')).code).toBe(0);
    expect(await left()).toEqual(['other']);
  });

  it.each([
    ['its parent', { p1: completed, [MIDDLE]: {} }, MIDDLE, 'p1'],
    ['a run further up', { p1: {}, [MIDDLE]: completed }, 'p1', 'p1'],
    ['its parent, whose own is gone', { [MIDDLE]: {} }, MIDDLE, MIDDLE],
  ])('refuses a run alone while %s has not ended', async (_what, above, unfinished, top) => {
    const { command, left } = await stored({ ...above, [INNER]: completed });
    const all = await left();
    const { code, stdout, stderr } = await command('rm', INNER);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Cannot remove run ${INNER} alone as a task of run ${unfinished} has started it, and `);
    expect(stderr).toContain(`Remove run ${top}, and this one with it, or end run ${unfinished} first.`);
    expect(stderr).toContain('RUN_HAS_PARENT');
    expect(await left()).toEqual(all);
    expect((await command('rm', INNER, top)).code).toBe(0);
    expect(await left()).toEqual([]);
  });

  it.each([
    ['have ended', { p1: completed, [MIDDLE]: completed }],
    ['are gone', {}],
    ['are above a parent that is gone', { p1: {} }],
  ])('removes a run alone if those above %s', async (_what, above: Readonly<Record<string, object>>) => {
    const { command, left } = await stored({ ...above, [INNER]: completed });
    expect((await command('rm', INNER)).stdout).toBe(`removed run ${INNER} of "article"\n`);
    expect(await left()).toEqual(Object.keys(above).toSorted());
  });

  it('goes on if another process removes some of them meanwhile', async () => {
    const { cwd, store, left } = await stored(family);
    const said = await removal(cwd, () => store.remove(MIDDLE));
    expect(said).toEqual([
      `removed run ${INNER} of "article"\n`,
      `run ${MIDDLE} was removed meanwhile\n`,
      'removed run p1 of "article"\n',
    ]);
    expect(await left()).toEqual([]);
  });

  it('is completed by the same command if it stops in the middle', async () => {
    const { cwd, command, left } = await stored(family);
    const stopped = removal(cwd, () => {
      throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await left()).toEqual(['p1', MIDDLE]);
    expect((await command('rm', 'p1')).code).toBe(0);
    expect(await left()).toEqual([]);
  });

  it('removes damaged runs, too', async () => {
    const { cwd, command, left } = await stored(family);
    damage(cwd);
    expect((await command('ls')).stdout).toContain('damaged');
    expect((await command('rm', 'p1')).code).toBe(0);
    expect(await left()).toEqual([]);
  });
});

describe('phasegate gc', () => {
  it('removes the runs that tasks have started with the run, and lists them first', async () => {
    const command = await waiting();
    expect((await command('gc', '--keep', '0s')).stdout).toMatch(/^0 runs removed/u);
    await command('cancel', 'p1');
    const dry = (await command('gc', '--keep', '0s', '--dry-run')).stdout;
    for (const id of ['p1 ', MIDDLE, INNER]) expect(dry).toContain(`\n${id}`);
    expect(dry).toContain('\n3 runs would be removed\n');
    const lines = (await command('gc', '--keep', '0s')).stdout.split('\n');
    expect(lines.slice(0, 3)).toEqual(REMOVED);
    expect(lines[3]).toMatch(/^3 runs removed/u);
  });

  it('removes an unfinished run with the ended one that waited for it', async () => {
    const { command, left } = await stored({ p1: { status: 'failed' }, [MIDDLE]: completed, [INNER]: {} });
    await command('gc', '--keep', '0s');
    expect(await left()).toEqual([]);
  });

  it.each([
    ['a run whose parent is gone', INNER],
    ['a run', MIDDLE],
  ])('keeps %s while one above has not ended', async (_what, below) => {
    const { command, left } = await stored({ p1: {}, [below]: completed, p10: completed });
    expect((await command('gc', '--keep', '0s')).stdout).toMatch(/^removed run p10 of .*\n1 run removed/u);
    expect(await left()).toEqual(['p1', below]);
  });

  it('removes a run without its parent, if that is gone', async () => {
    const { command, left } = await stored({ [INNER]: completed });
    await command('gc', '--keep', '0s');
    expect(await left()).toEqual([]);
  });

  it('keeps a run with one that is damaged, or that a process works on', async () => {
    const { cwd, command, left, store } = await stored({ ...family, p2: completed, 'p2/build/0/0/task/all': {} });
    await store.acquire('p2/build/0/0/task/all', 'somebody', 600_000);
    damage(cwd);
    expect((await command('gc', '--keep', '0s', '--dry-run')).stdout).toBe('no runs\n0 runs would be removed\n');
    expect(await command('gc', '--keep', '0s')).toMatchObject({ code: 0, stdout: containing('0 runs removed\n') });
    expect(await left()).toHaveLength(5);
  });

  it('keeps a run for as long as one of those that its tasks have started', async () => {
    const late = { ...completed, updatedAt: Date.now() };
    const { command, left } = await stored({ p1: completed, [MIDDLE]: completed, [INNER]: late, other: completed });
    expect((await command('gc', '--keep', '1h')).stdout).toMatch(/^removed run other of .*\n1 run removed/u);
    expect(await left()).toHaveLength(3);
  });
});
