/** Output and leftovers of `phasegate fork` if the fork cannot run. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteStore } from '../../src/sqlite.ts';
import { article, containing, put, ranTo } from './article.ts';
import { phasegate } from './cli.ts';

const STORE = '.phasegate/runs.db';

/** Returns the ids of all runs of a folder. */
async function runsOf(cwd: string, file = STORE): Promise<readonly string[]> {
  const store = sqliteStore(join(cwd, file), { readOnly: true });
  const runs = await store.runs();
  await store.close();
  return runs.map(({ runId }) => runId);
}

const OTHER = `import { definePipeline, phase, task } from 'phasegate';
  export default definePipeline({ name: 'article', phases: [phase('read', { tasks: [task('other', { run: () => 1 })] })] });`;

describe('phasegate fork --run', () => {
  it.each([
    ['a file that is not there', 'nofile.mjs', [], 'Cannot load "'],
    ['another definition', 'other.mjs', [], ' in a fork as the definition of "article" has changed'],
    [
      'another definition of what has begun',
      'other.mjs',
      ['--allow-changed'],
      ' in a fork with another definition as a phase that has begun differs:\n  phase "research" is gone\n',
    ],
  ])('makes no fork with %s', async (_, file, flags, text) => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    await put(cwd, 'other.mjs', OTHER);
    const { seq, event } = await lateTask(cwd, id);
    expect(event).toBe('task.started');
    const { code, stderr } = await phasegate(['fork', id, file, '--at', `${seq}`, '--run', ...flags], { cwd });
    expect(stderr).toContain(text);
    expect(code).toBe(2);
    expect(await runsOf(cwd)).toEqual([id]);
  });

  it('refuses an unknown phase before it loads the definition, and suggests the likely one', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    const { code, stderr } = await phasegate(['fork', id, 'nofile.mjs', '--at', 'resaerch', '--run'], { cwd });
    expect(stderr).toContain('at phase "resaerch" as it has no such point\nDid you mean "research"? Its phases are ');
    expect(code).toBe(2);
    expect(await runsOf(cwd)).toEqual([id]);
  });

  it('names the fork that it made if that could not run', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? `${address?.port}` : '';
    const { code, stderr } = await phasegate(['fork', id, '--at', '1', '--run', '--inspect', port], { cwd });
    const [fork = ''] = await runsOf(cwd);
    expect(fork).not.toBe(id);
    expect(stderr).toContain(`run ${fork} is a fork of run ${id}\n  resume with: phasegate resume ${fork}\n`);
    expect(code).toBe(2);
  });
});

describe('phasegate fork without --run', () => {
  it.each(['--allow-changed', '--json', '--wait', '--ui', '--inspect'])('refuses %s', async (flag) => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    expect(await phasegate(['fork', id, '--at', '1', flag], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: containing(`error: option '${flag}' needs '--run'`),
    });
    expect(await runsOf(cwd)).toEqual([id]);
  });
});

describe('a run that was imported', () => {
  it('can be resumed by the advice, once its pipeline is named', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    const at = ['--store', 'other.db'];
    await phasegate(['fork', id, '--at', '1'], { cwd });
    const [fork = ''] = await runsOf(cwd);
    expect((await phasegate(['show', fork], { cwd })).stdout).toContain(`: phasegate resume ${fork}\n`);
    await phasegate(['export', fork, '-o', 'run.jsonl'], { cwd });
    await phasegate(['import', 'run.jsonl', ...at], { cwd });
    const command = (name: string, more = '') => `phasegate ${name} ${fork} <pipeline>${more} --store other.db`;
    expect((await phasegate(['show', fork, ...at], { cwd })).stdout).toContain(`resume with: ${command('resume')}\n`);
    for (const name of ['resume', 'retry'])
      expect(await phasegate([name, fork, ...at], { cwd })).toMatchObject({
        code: 2,
        stderr: containing(`Name the file: ${command(name)}\n`),
      });
    expect(await phasegate(['fork', fork, '--at', '1', '--run', ...at], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(`Name the file: ${command('fork', ' --at 1 --run')}\n`),
    });
    const made = await phasegate(['fork', fork, '--at', '1', ...at], { cwd });
    const [second = ''] = await runsOf(cwd, 'other.db');
    expect(made.stdout).toContain(`  resume with: phasegate resume ${second} <pipeline> --store other.db\n`);
    const resumed = await phasegate(['resume', fork, 'p.mjs', ...at], { cwd });
    expect(resumed.stdout).toContain('✓ completed');
  });
});

describe('phasegate show', () => {
  it('gives the time of the last record of a fork, not the time of forking', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    await phasegate(['fork', id, '--at', '1'], { cwd });
    const [fork = ''] = await runsOf(cwd);
    expect((await phasegate(['show', fork], { cwd })).stdout).toContain(', last record 1 after 0.0s\n');
  });
});

/** Returns the start of the last task of a run. */
async function lateTask(cwd: string, id: string): Promise<{ readonly seq: number; readonly event: string }> {
  const store = sqliteStore(join(cwd, STORE), { readOnly: true });
  const found = (await store.read(id)).findLast(({ event }) => event.type === 'task.started');
  await store.close();
  return { seq: found?.seq ?? 0, event: found?.event.type ?? '' };
}
