/** Limits of fleets whose agents report nothing. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { git, put } from '../workspaces/rig.ts';
import { phasegate } from './cli.ts';

const AGENT = `import { writeFileSync } from 'node:fs'; writeFileSync('new.txt', 'new'); console.log('Done.');`;

it('phasegate fleet needs an estimate for a limit, and then counts it for each agent', async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const user = join(home, 'user');
  await put(home, 'agent.mjs', AGENT);
  await put(home, 'judge.mjs', `console.log('not a verdict');`);
  await put(user, 'plan.json', JSON.stringify({ goal: 'Add a file.' }));
  await git(user, 'init', '-q');
  await git(user, 'add', '-A');
  await git(user, 'commit', '-q', '-m', 'Begin');
  const agent = (name: string) => `command:${process.execPath} ${join(home, name)}`;
  const fleet = ['fleet', '--plan', 'plan.json', '--agent', agent('agent.mjs'), '--yes', '--max-tokens', '90'];
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = { cwd: user };
  const refused = await phasegate([...fleet, '--reviewer', agent('judge.mjs')], options);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('ESTIMATE_MISSING in phase "phase-1", task "goal": a limit counts `tokens`');
  expect(refused.stderr).toContain('ESTIMATE_MISSING in phase "phase-1", reviewer "reviewer-1": a limit counts');
  const goal = await phasegate(['fleet', 'Add a file.', ...fleet.slice(3)], options);
  expect([goal.code, goal.stderr]).toEqual([2, expect.stringContaining('ESTIMATE_MISSING')]);
  const done = await phasegate([...fleet, '--estimate-tokens', '60', '--tag', 'team=search'], options);
  expect([done.code, done.stderr]).toEqual([0, '']);
  const { stdout } = await phasegate(['show', 'latest', '--json'], options);
  expect(JSON.parse(stdout)).toMatchObject({ metrics: { tokens: 60 } });
  expect((await phasegate(['ls', '--tag', 'team=search'], options)).stdout).toMatch(/ team=search *$/mu);

  const subtasks = ['a', 'b'].map((id, at) => ({ id, title: id, description: '', depends_on: at === 0 ? [] : ['a'] }));
  await put(user, 'plan.json', JSON.stringify({ goal: 'Add a file.', subtasks }));
  const spent = await phasegate([...fleet, '--estimate-tokens', '60', '--run-id', 'two'], options);
  const file = join(user, '.phasegate', 'fleets', 'two.json');
  expect(spent.stdout.trimEnd().split('\n').at(-1)).toBe(
    `  raise limits.tokens in ${file}, then: phasegate retry two --allow-changed`,
  );
  await writeFile(file, (await readFile(file, 'utf8')).replace('"tokens": 90', '"tokens": 500'));
  const resumed = await phasegate(['retry', 'two', '--allow-changed'], options);
  expect([resumed.code, resumed.stderr]).toEqual([0, '']);
});
