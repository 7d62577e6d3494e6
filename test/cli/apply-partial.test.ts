/** `phasegate apply` of runs that have handed nothing over, and whose phases do not form a line. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, put } from '../workspaces/rig.ts';
import { phasegate } from './cli.ts';
import { yamlLab } from '../workspaces/yaml-lab.ts';

/** one ──▶ left ∥ right ──▶ last, with a reviewer of the last phase. */
const diamond = (isolation: string) => `
name: diamond
workspace: ${isolation}
phases:
  - { name: one, tasks: [{ name: one, agent: <agent>, prompt: One. }] }
  - { name: left, after: [one], tasks: [{ name: left, agent: <agent>, prompt: Left. }] }
  - { name: right, after: [one], tasks: [{ name: right, agent: <agent>, prompt: Right. }] }
  - name: last
    after: [left, right]
    tasks: [{ name: last, agent: <agent>, prompt: Last. }]
    review: { by: { name: judge, command: <agent judge> } }
`;

/** Each agent writes a file of its name. */
const writes = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, [{ write: { [`${name}.txt`]: name } }]]));

const FOUR = writes('one', 'left', 'right', 'last');
const REFUSES = { judge: [{ say: 'REJECT: No.' }, { say: 'APPROVE' }] };

async function textsIn(user: string): Promise<readonly string[]> {
  const names = await readdir(user);
  return names.filter((name) => name.endsWith('.txt')).toSorted();
}

/** Replaces ids of commits. */
const plain = (text: string) => text.replaceAll(/[0-9a-f]{40}/gu, '<commit>');

describe('phasegate apply --partial', () => {
  it.each(['clone', 'worktree'])('takes the work of phases side by side, and then the rest, with %s', async (kind) => {
    const { user, run } = await yamlLab(diamond(kind), { ...FOUR, ...REFUSES });
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(1);
    const whole = await run('apply', 'r1');
    expect(whole.code).toBe(2);
    expect(whole.stderr).toContain('phases were approved, their work is taken by: phasegate apply r1 --partial\n');
    const applied = await run('apply', 'r1', '--partial');
    expect({ ...applied, stdout: plain(applied.stdout) }).toEqual({
      code: 0,
      stderr: '',
      stdout: `Your branch now has all approved work of run r1: <commit>
Approved phases: one, left, right
Not approved: last (rejected)
`,
    });
    expect(await textsIn(user)).toEqual(['a.txt', 'left.txt', 'one.txt', 'right.txt']);
    expect(await git(user, 'status', '--short')).toBe('');
    const again = await run('apply', 'r1', '--partial');
    expect([again.code, again.stdout]).toEqual([0, applied.stdout.replace('now has', 'already has')]);
    // The last phase starts from the same commit, so the branch moves on.
    expect((await run('retry', 'r1')).code).toBe(0);
    const rest = await run('apply', 'r1');
    expect([rest.code, rest.stderr, plain(rest.stdout)]).toEqual([
      0,
      '',
      'Your branch now has the work of run r1: <commit>\n',
    ]);
    expect(await textsIn(user)).toEqual(['a.txt', 'last.txt', 'left.txt', 'one.txt', 'right.txt']);
  });

  it('takes the work of a phase next to one that is rejected', async () => {
    const source = `
name: two
workspace: worktree
phases:
  - { name: left, tasks: [{ name: left, agent: <agent>, prompt: Left. }] }
  - name: right
    tasks: [{ name: right, agent: <agent>, prompt: Right. }]
    review: { by: { name: judge, command: <agent judge> } }
`;
    const { user, run } = await yamlLab(source, { ...writes('left', 'right'), ...REFUSES });
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(1);
    const applied = await run('apply', 'r1', '--partial');
    expect([applied.code, plain(applied.stdout)]).toEqual([
      0,
      `Your branch now has all approved work of run r1: <commit>
Approved phases: left
Not approved: right (rejected)
`,
    ]);
    expect(await textsIn(user)).toEqual(['a.txt', 'left.txt']);
  });

  it('takes the work so far while the run goes on, and the rest at its end', async () => {
    const acts = { ...FOUR, last: [{ write: { 'last.txt': 'last' }, waitFor: 'go' }], judge: [{ say: 'APPROVE' }] };
    const { user, run, calls, release } = await yamlLab(diamond('worktree'), acts);
    const ended = run('run', 'p.yaml', '--run-id', 'r1');
    await expect.poll(() => calls('last').catch(() => []), { timeout: 60_000 }).toHaveLength(1);
    const applied = await run('apply', 'r1', '--partial');
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    expect(applied.stdout).toContain('Approved phases: one, left, right\nNot approved: last (running)\n');
    expect(await textsIn(user)).toEqual(['a.txt', 'left.txt', 'one.txt', 'right.txt']);
    await release('go');
    expect((await ended).code).toBe(0);
    expect(await run('apply', 'r1')).toMatchObject({ code: 0, stderr: '' });
    expect(await textsIn(user)).toEqual(['a.txt', 'last.txt', 'left.txt', 'one.txt', 'right.txt']);
  });

  it('takes nothing if approved phases have changed the same lines, and names them', async () => {
    const source = `
name: three
workspace: worktree
phases:
  - { name: left, tasks: [{ name: left, agent: <agent>, prompt: Left. }] }
  - { name: right, tasks: [{ name: right, agent: <agent>, prompt: Right. }] }
  - name: bad
    tasks: [{ name: bad, agent: <agent>, prompt: Bad. }]
    review: { by: { name: judge, command: <agent judge> } }
`;
    const acts = { left: [{ write: { 'a.txt': 'left' } }], right: [{ write: { 'a.txt': 'right' } }] };
    const { user, run } = await yamlLab(source, { ...acts, ...writes('bad'), ...REFUSES });
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(1);
    const head = await git(user, 'rev-parse', 'HEAD');
    const applied = await run('apply', 'r1', '--partial');
    expect({ ...applied, stderr: plain(applied.stderr) }).toEqual({
      code: 1,
      stdout: '',
      stderr: `Nothing was changed. Approved phases have changed the same lines. These conflict with those before them:
  right: a.txt
To take the work yourself, merge one after the other, and resolve the conflicts:
  git merge <commit>  # left
  git merge <commit>  # right
`,
    });
    expect([await git(user, 'rev-parse', 'HEAD'), await git(user, 'status', '--short')]).toEqual([head, '']);
    const [left = ''] = /[0-9a-f]{40}/u.exec(applied.stderr) ?? [];
    expect(await git(user, 'show', `${left}:a.txt`)).toBe('left');
  });

  it('leaves out work that builds on a phase that is not approved any more, and says so', async () => {
    //  one ──▶ left, approved ─▶ cannot start again: it keeps its commit
    //   ▲ └──▶ right: sends "one" back, which is rejected then
    const source = `
name: back
workspace: worktree
phases:
  - name: one
    tasks: [{ name: one, agent: <agent>, prompt: One. }]
    review: { by: { name: judge, command: <agent judge> } }
  - { name: left, after: [one], tasks: [{ name: left, agent: <agent>, prompt: Left. }] }
  - name: right
    after: [left]
    tasks: [{ name: right, agent: <agent>, prompt: Right. }]
    review: { rewindTo: ancestors, by: { name: other, command: <agent other> } }
  - { name: alone, tasks: [{ name: alone, agent: <agent>, prompt: Alone. }] }
`;
    const { user, run } = await yamlLab(source, {
      ...writes('one', 'left', 'right', 'alone'),
      judge: [{ say: 'APPROVE' }, { say: 'REJECT: No.' }],
      other: [{ say: 'RETRY_PREDECESSOR one: Anew.' }],
    });
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(1);
    const applied = await run('apply', 'r1', '--partial');
    expect({ ...applied, stdout: plain(applied.stdout) }).toEqual({
      code: 1,
      stdout: `Your branch now has approved work of run r1: <commit>
Approved phases: alone
Not approved: one (rejected), right (failed)
`,
      stderr: 'Approved, but not taken: left (it builds on one)\n',
    });
    expect(await textsIn(user)).toEqual(['a.txt', 'alone.txt']);
  });

  it('takes nothing of a run without an approved phase, and says so', async () => {
    const source = `
name: none
workspace: worktree
phases:
  - name: one
    tasks: [{ name: one, agent: <agent>, prompt: One. }]
    review: { by: { name: judge, command: <agent judge> } }
  - { name: left, after: [one], tasks: [{ name: left, agent: <agent>, prompt: Left. }] }
  - { name: right, after: [one], tasks: [{ name: right, agent: <agent>, prompt: Right. }] }
`;
    const { run } = await yamlLab(source, { ...writes('one', 'left', 'right'), ...REFUSES });
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(1);
    expect(await run('apply', 'r1', '--partial')).toEqual({
      code: 1,
      stdout: '',
      stderr: `Nothing was changed. No phase of run r1 has approved work.
Not approved: one (rejected), left (skipped), right (skipped)
`,
    });
  });

  it('keeps its flag in the command that follows files in the way', async () => {
    const { user, run } = await yamlLab(diamond('worktree'), { ...FOUR, ...REFUSES });
    const store = ['--store', 'own.db'];
    expect((await run('run', 'p.yaml', '--run-id', 'r1', ...store)).code).toBe(1);
    await put(user, 'left.txt', 'mine');
    const refused = await run('apply', 'r1', '--partial', ...store);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `Nothing was changed. Files that you have changed, or that git does not track, would be overwritten.
  left.txt
Commit, stash or move them, then run: phasegate apply r1 --partial --store own.db
`,
    });
    expect(await readFile(join(user, 'left.txt'), 'utf8')).toBe('mine');
    await git(user, 'stash', '--include-untracked', '--', 'left.txt');
    const [, line = ''] = /phasegate (apply .*)\n/u.exec(refused.stderr) ?? [];
    expect(await run(...line.split(' '))).toMatchObject({ code: 0, stderr: '' });
    expect(await textsIn(user)).toEqual(['a.txt', 'left.txt', 'one.txt', 'right.txt']);
  });
});

describe('phasegate apply', () => {
  it('names the resume of a fork that has no branch yet', async () => {
    const { user, run } = await yamlLab(diamond('worktree'), { ...FOUR, ...REFUSES });
    const store = ['--store', 'own.db'];
    expect((await run('run', 'p.yaml', '--run-id', 'r1', ...store)).code).toBe(1);
    expect((await run('fork', 'r1', '--at', 'last', ...store)).code).toBe(0);
    for (const flags of [[], ['--partial']])
      expect(await run('apply', 'latest', ...flags, ...store)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^Cannot apply run \S+ as it has no branch here yet\nResume the fork first, as it begins its branch then: phasegate resume \S+ --store own\.db\n/u,
        ) as string,
      });
    expect((await run('resume', 'latest', ...store)).code).toBe(0);
    expect((await run('apply', 'latest', ...store)).code).toBe(0);
    expect(await textsIn(user)).toEqual(['a.txt', 'last.txt', 'left.txt', 'one.txt', 'right.txt']);
  });

  it('says that a run waits, as phasegate ls does', async () => {
    const acts = { ...FOUR, last: [{ write: { 'last.txt': 'last' } }], judge: [{ say: 'ESCALATE: Is that right?' }] };
    const { run } = await yamlLab(diamond('worktree'), acts);
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(3);
    expect((await run('ls')).stdout).toContain('  waiting');
    expect((await run('apply', 'r1')).stderr).toContain('Cannot apply run r1 as it is not completed: waiting\n');
  });

  it('refuses a run of another repository', async () => {
    const { user, run } = await yamlLab(diamond('worktree'), { ...FOUR, ...REFUSES });
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(1);
    const other = join(user, '..', 'other');
    await git(user, 'init', '-q', '-b', 'main', other);
    await git(other, 'commit', '-q', '--allow-empty', '-m', 'Begin');
    const store = join(user, '.phasegate', 'runs.db');
    const refused = await phasegate(['apply', 'r1', '--partial', '--store', store], { cwd: other });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Give the id of a run that was started in this repository.');
  });

  it('takes the approved work of a run whose last phase a person has skipped', async () => {
    const acts = { ...FOUR, judge: [{ say: 'ESCALATE: Is that right?' }] };
    const { user, run } = await yamlLab(diamond('worktree'), acts);
    expect((await run('run', 'p.yaml', '--run-id', 'r1')).code).toBe(3);
    const { stdout } = await run('inbox', '--json');
    const { id } = JSON.parse(stdout.split('\n')[0] ?? '') as { readonly id: string };
    expect((await run('inbox', 'answer', id, '--skip', 'Not needed.')).code).toBe(0);
    expect((await run('resume', 'r1')).code).toBe(0);
    const applied = await run('apply', 'r1');
    expect([applied.code, plain(applied.stdout)]).toEqual([
      0,
      `Your branch now has all approved work of run r1: <commit>
Approved phases: one, left, right
Not approved: last (skipped)
`,
    ]);
    expect(await textsIn(user)).toEqual(['a.txt', 'left.txt', 'one.txt', 'right.txt']);
  });
});
