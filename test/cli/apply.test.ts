/** `phasegate apply` in a repository of a user. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../workspaces/lab.ts';
import { files, phasegate, says, start } from './cli.ts';

/** Makes a repository, and a fleet of one subtask in it, which has ended. @returns Options of a command in the repository. */
async function withFleet(agent: string) {
  const home = await files({
    'user/a.txt': 'a\n',
    'user/b.txt': 'b\n',
    'user/.gitignore': '.phasegate/\n',
    'plan.json': '{ "goal": "Change files", "subtasks": [] }',
    'agent.sh': agent,
  });
  const cwd = join(home, 'user');
  await git(cwd, 'init', '--quiet', '--initial-branch', 'main');
  await git(cwd, 'add', '--all');
  await git(cwd, 'commit', '--quiet', '--message', 'Begin');
  const options = { cwd, env: { XDG_STATE_HOME: join(home, 'state') } };
  const fleet = ['fleet', '--plan', '../plan.json', '--agent', `command:sh ${home}/agent.sh`, '--yes'];
  expect(await phasegate(fleet, options)).toMatchObject({ code: 0 });
  return { home, ...options };
}

describe('phasegate apply', () => {
  it('names the files that are in the way, and the next command, which works', async () => {
    const options = await withFleet('echo moved > a.txt; echo new > new.txt');
    await writeFile(join(options.cwd, 'a.txt'), 'mine\n');
    await writeFile(join(options.cwd, 'new.txt'), 'mine\n');
    const refused = await phasegate(['apply', 'latest'], options);
    expect({ ...refused, stderr: refused.stderr.replaceAll(/[0-9A-Z]{26}/gu, '<run>') }).toEqual({
      code: 1,
      stdout: '',
      stderr: `Nothing was changed. Files that you have changed, or that git does not track, would be overwritten.
  a.txt
  new.txt
Commit, stash or move them, then run: phasegate apply <run>
`,
    });
    await git(options.cwd, 'stash', '--include-untracked');
    const [, run = ''] = /phasegate apply (\w+)/u.exec(refused.stderr) ?? [];
    expect(await phasegate(['apply', run], options)).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(options.cwd, 'a.txt'), 'utf8')).toBe('moved\n');
  });

  it('and diff say that they cannot outside of a repository, and where they can', async () => {
    const { home, cwd, env } = await withFleet('echo moved > a.txt');
    const store = ['--store', 'user/.phasegate/runs.db'];
    const [, run = ''] = /run ([0-9A-Z]{26})/u.exec((await phasegate(['show', 'latest'], { cwd, env })).stdout) ?? [];
    for (const [command = '', action] of [
      ['apply', `apply run ${run}`],
      ['diff', `show changes of run ${run}`],
    ]) {
      const { code, stderr } = await phasegate([command, run, ...store], { cwd: home, env });
      expect([code, stderr.split('\n').slice(0, 2)]).toEqual([
        2,
        [
          `Cannot ${action} as ${home} is in no git repository, or git refuses to read it`,
          'Run `git status` there. The work of a run is in the repository that it began in. A new one is made by: git init',
        ],
      ]);
      expect((await phasegate([command, run], { cwd, env })).code).toBe(0);
    }
  });

  it('ends after the files are moved if it is interrupted meanwhile', async () => {
    const options = await withFleet('echo moved > a.txt');
    const { cwd, home } = options;
    // A filter of the user holds git up before it writes the file.
    await writeFile(
      join(home, 'smudge.sh'),
      `touch ${home}/began; while [ ! -e ${home}/gate ]; do sleep 0.02; done; cat; echo word >&2`,
    );
    await writeFile(join(cwd, '.git', 'info', 'attributes'), 'a.txt filter=slow\n');
    await git(cwd, 'config', 'filter.slow.smudge', `sh ${home}/smudge.sh`);
    const going = start(['apply', 'latest'], options);
    await expect.poll(() => readFile(join(home, 'began'), 'utf8').catch(() => 'no'), { timeout: 20_000 }).toBe('');
    const told = says(going, 'as soon as git has moved your files');
    going.child.kill('SIGINT');
    await told;
    await writeFile(join(home, 'gate'), '');
    expect(await going.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('now has the work') as string });
    expect(await git(cwd, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('moved\n');
  });
});
