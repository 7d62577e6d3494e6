/** Variables of the process that runs phasegate, such as those of a git hook, against the user's own repository. */
import { execFile } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inheritedVariables } from '../../src/actors/command/inherited-variables.ts';
import { main, phasegate } from '../cli/cli.ts';
import { git, makeLab, pictureOf, put, shell, useFolder, type Lab } from './rig.ts';

const folder = useFolder();

/** An agent that works like a person: it writes a file, and commits all that it sees. */
const COMMITS = 'echo x > new.txt; git add -A; git -c user.name=A -c user.email=a@b.example commit -q -m a';

function pipeline(isolation: string, agent: string, ...more: readonly string[]): string {
  const lines = [
    'name: p',
    `workspace: { isolation: ${isolation} }`,
    'phases:',
    '  - name: build',
    `    tasks: [{ name: make, agent: [sh, -c, ${JSON.stringify(agent)}], prompt: Work. }]`,
    ...more,
  ];
  return `${lines.join('\n')}\n`;
}

/** Makes a repository with a pipeline and uncommitted work of the user. */
async function labOf(source: string): Promise<Lab> {
  const lab = await makeLab(folder.path);
  await lab.put('.gitignore', '.phasegate/\n');
  await lab.put('p.yaml', source);
  await lab.git('add', '-A');
  await lab.git('commit', '-q', '-m', 'Add a pipeline');
  await lab.put('a.txt', 'uncommitted\n');
  return lab;
}

/** Runs the pipeline with these variables, of which the git of the test has none. */
async function runWith(variables: Readonly<Record<string, string>>, { user, root }: Lab) {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries({ ...variables, XDG_STATE_HOME: root })) vi.stubEnv(name, value);
  const ended = await phasegate(['run', 'p.yaml'], { cwd: user });
  vi.unstubAllEnvs();
  return ended;
}

/** The branch with the approved work of the only run. */
async function branchOf({ user }: Lab): Promise<string> {
  return git(user, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/phasegate');
}

/** All of the user but the store. */
async function ownOf({ user }: Lab): Promise<Readonly<Record<string, string>>> {
  const picture = Object.entries(await pictureOf(user));
  return Object.fromEntries(picture.filter(([name]) => !name.startsWith('.phasegate/')));
}

const ONLY_GIT_DIR = (user: string) => ({ GIT_DIR: join(user, '.git') });
const BOTH = (user: string) => ({ GIT_DIR: join(user, '.git'), GIT_WORK_TREE: user });
const INDEX = (user: string) => ({ ...BOTH(user), GIT_INDEX_FILE: join(user, '.git', 'index') });

describe.each(['clone', 'worktree'])('in a %s', (isolation) => {
  it.each([
    ['GIT_DIR', ONLY_GIT_DIR],
    ['GIT_DIR and GIT_WORK_TREE', BOTH],
    ['GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE', INDEX],
  ])('the commits of an agent stay in its folder if the process has %s', async (_names, variablesOf) => {
    const lab = await labOf(pipeline(isolation, COMMITS));
    const before = await ownOf(lab);
    const ended = await runWith(variablesOf(lab.user), lab);
    expect(ended.code, ended.stderr).toBe(0);
    expect(await ownOf(lab)).toEqual(before);
    // The work is the agent's own file, without the uncommitted work of the user.
    expect(await lab.git('diff', '--name-only', 'main', await branchOf(lab))).toBe('new.txt');
  });

  it('a check sees the work of the agent, and no uncommitted work of the user', async () => {
    const review = '    review: { checks: [{ use: nonEmptyDiff }], maxRetries: 0, onExhausted: reject }';
    const lab = await labOf(pipeline(isolation, 'true', review));
    const ended = await runWith(BOTH(lab.user), lab);
    expect([ended.code, ended.stdout]).toEqual([1, expect.stringContaining('No file of the working folder differs')]);
  });
});

it('a hook of a linked worktree runs a pipeline, whose agent commits in its folder alone', async () => {
  const lab = await labOf(pipeline('clone', COMMITS));
  const linked = join(lab.user, '..', 'linked');
  await lab.git('worktree', 'add', '-q', '-b', 'side', linked);
  const log = join(lab.root, 'hook.log');
  await put(lab.root, 'state/.keep', '');
  const words = [process.execPath, main, 'run', 'p.yaml'].map((word) => `'${word}'`).join(' ');
  // Git runs the hook with GIT_DIR, in the worktree.
  const hook = [
    '#!/bin/sh',
    `echo "git=$GIT_DIR" > '${log}'`,
    `${words} >> '${log}' 2>&1`,
    `echo "code=$?" >> '${log}'`,
  ];
  await put(lab.user, '.git/hooks/post-commit', `${hook.join('\n')}\n`);
  await chmod(join(lab.user, '.git/hooks/post-commit'), 0o755);
  await put(linked, 'mine.txt', 'mine\n');
  await git(linked, 'add', '-A');
  await shell(linked, 'git -c commit.gpgsign=false commit -q -m Mine', { XDG_STATE_HOME: join(lab.root, 'state') });
  const said = await readFile(log, 'utf8');
  expect(said).toMatch(/^git=\/.*\/worktrees\/linked\n/u);
  expect(said).toMatch(/\ncode=0\n$/u);
  expect(await git(linked, 'log', '--format=%s', 'side')).toBe('Mine\nAdd a pipeline\nBegin');
  expect(await git(linked, 'log', '--format=%s', 'main')).toBe('Add a pipeline\nBegin');
});

it('each program of a run works in its own repository', async () => {
  const lab = await labOf('');
  const log = join(lab.root, 'log');
  const seen = (who: string) => `[sh, -c, "echo ${who} $(git rev-parse --absolute-git-dir) >> '${log}'"]`;
  await put(lab.root, 'log', '');
  const source = `
name: p
workspace: { setup: ${seen('setup')}, teardown: ${seen('teardown')} }
phases:
  - name: build
    tasks:
      - { name: make, agent: ${seen('agent')}, prompt: Work. }
      - { name: list, after: [make], command: ${seen('command')} }
    review:
      checks: [{ name: tests, command: ${seen('check')} }]
      by: { command: [sh, -c, "echo reviewer $(git rev-parse --absolute-git-dir) >> '${log}'; echo APPROVE"] }
`;
  await lab.put('p.yaml', source);
  const ended = await runWith(BOTH(lab.user), lab);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  const kinds = new Set(lines.map((line) => line.split(' ')[0] ?? ''));
  expect([...kinds].toSorted()).toEqual(['agent', 'check', 'command', 'reviewer', 'setup', 'teardown']);
  expect(lines.filter((line) => !line.split(' ')[1]?.startsWith(`${lab.root}/`))).toEqual([]);
});

it('a folder of a shell leads no agent to the folder of the user', async () => {
  const agent = 'printenv PWD > pwd.txt; (cd - && echo x > old.txt); cd src && echo x > new.txt';
  const lab = await labOf(pipeline('clone', agent));
  const before = await ownOf(lab);
  const elsewhere = { PWD: lab.user, OLDPWD: lab.user, CDPATH: lab.user };
  const ended = await runWith(elsewhere, lab);
  expect(ended.code, ended.stderr).toBe(0);
  expect(await ownOf(lab)).toEqual(before);
  const branch = await branchOf(lab);
  expect(await lab.git('diff', '--name-only', 'main', branch, '--', 'pwd.txt', 'src')).toBe('pwd.txt\nsrc/new.txt');
  expect((await lab.git('show', `${branch}:pwd.txt`)).startsWith(`${lab.root}/`)).toBe(true);
});

it('variables that a task names itself reach its program', async () => {
  const made = '{ name: make, command: [printenv, GIT_DIR], env: { GIT_DIR: /own } }';
  const source = `name: p\nphases: [{ name: build, tasks: [${made}] }]\n`;
  const lab = await labOf(source);
  const ended = await runWith(ONLY_GIT_DIR(lab.user), lab);
  expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('/own')]);
});

it('knows each variable that git calls local to a repository, except for settings', async () => {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--local-env-vars']);
  const local = stdout.trim().split('\n');
  expect(local).toContain('GIT_DIR');
  const variables = Object.fromEntries(
    [...local, 'GIT_AUTHOR_NAME', 'GIT_SSH_COMMAND', 'PATH'].map((name) => [name, 'x']),
  );
  expect(Object.keys(inheritedVariables('/work', variables)).toSorted()).toEqual([
    'GIT_AUTHOR_NAME',
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_PARAMETERS',
    'GIT_SSH_COMMAND',
    'PATH',
  ]);
});
