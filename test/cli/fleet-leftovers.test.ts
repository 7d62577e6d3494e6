/** Changes and folders of fleets that have not come to their end. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { gitWorkspace } from '../../src/workspaces/operations/git-workspace.ts';
import { git, openAt, put, shell, signal } from '../workspaces/rig.ts';
import { phasegate, start, witness } from './cli.ts';

const place = { home: '', cwd: '' };

beforeEach(async () => {
  place.home = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-')));
  place.cwd = join(place.home, 'user');
  await put(place.cwd, '.gitignore', '*.json\n');
  await put(place.cwd, 'plan.json', JSON.stringify({ goal: 'Go.' }));
  await git(place.cwd, 'init', '-q');
  await git(place.cwd, 'add', '-A');
  await git(place.cwd, 'commit', '-q', '-m', 'Begin');
  vi.stubEnv('XDG_STATE_HOME', join(place.home, 'state'));
  return async () => {
    vi.unstubAllEnvs();
    await rm(place.home, { recursive: true, force: true });
  };
});

function run(...args: readonly string[]) {
  return phasegate(args, { cwd: place.cwd });
}

/** Writes a program. @returns The option that makes it the agent. */
async function agent(code: string): Promise<readonly string[]> {
  await put(place.home, 'agent.mjs', code);
  return agentFlags();
}

function agentFlags(): readonly string[] {
  return ['--agent', `command:${process.execPath} ${join(place.home, 'agent.mjs')}`];
}

/** Removes the refs of run `one` as documented. */
async function removeRefs(): Promise<void> {
  const [, commands = ''] = /```sh\n(git for-each-ref[^`]*)```/u.exec(await readFile('docs/fleet.md', 'utf8')) ?? [];
  await shell(place.cwd, commands.replaceAll('<run>', 'one'));
}

const PLANS = `console.log('\`\`\`json\\n{ "goal": "Go." }\\n\`\`\`');`;

describe('phasegate diff', () => {
  it('writes a name that would forge a line as git does', async () => {
    const names = ['a\nforged.txt  +9 -9', 'say "hi"\\', '\u202Eright', 'é'];
    const writes = `import { writeFileSync } from 'node:fs'; for (const name of ${JSON.stringify(names)}) writeFileSync(name, 'x\\n');`;
    expect((await run('fleet', '--plan', 'plan.json', '--yes', ...(await agent(writes)))).code).toBe(0);
    const { stdout } = await run('diff', 'latest', '--stat');
    expect(stdout.split('\n').toSorted()).toEqual(
      [
        String.raw`"a\nforged.txt  +9 -9"  +1 -0`,
        String.raw`"say \"hi\"\\"  +1 -0`,
        String.raw`"\342\200\256right"  +1 -0`,
        'é  +1 -0',
        '',
      ].toSorted(),
    );
  });

  it('says of a fleet without work that no agent has made changes yet', async () => {
    await run('fleet', 'Go.', '--run-id', 'waits', ...(await agent(PLANS)));
    const { code, stderr } = await run('diff', 'waits');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'No agent of this fleet has made changes yet. See how far it is with: phasegate show waits\n',
    );
  });

  it('says of a plan how to carry it out', async () => {
    await run('plan', 'Go.', '--yes', '--run-id', 'plan', ...(await agent(PLANS)));
    expect((await run('diff', 'plan')).stderr).toContain(
      'It only made a plan. Carry that out with: phasegate show plan --json > plan.json && phasegate fleet --plan plan.json\n',
    );
  });
});

describe('phasegate rm', () => {
  it('says that the work of a fleet stays, until its refs are removed as documented', async () => {
    const writes = `import { writeFileSync } from 'node:fs'; writeFileSync('a', 'a');`;
    await run('fleet', '--plan', 'plan.json', '--yes', '--run-id', 'one', ...(await agent(writes)));
    const [removed, work, ...more] = (await run('rm', 'one')).stdout.split('\n');
    expect([removed, more]).toEqual(['removed run one of "fleet"', ['']]);
    expect(work).toMatch(
      /^its work stays in the repository, as phasegate\/one and refs\/phasegate\/one\/…: https.*#refs$/u,
    );
    await removeRefs();
    expect(await git(place.cwd, 'for-each-ref', '--format=%(refname:short)')).toBe(
      await git(place.cwd, 'branch', '--show-current'),
    );
  });

  it('says nothing of refs that a fleet does not have', async () => {
    await run('plan', 'Go.', '--yes', '--run-id', 'one', ...(await agent(PLANS)));
    await git(place.cwd, 'update-ref', '-d', 'refs/heads/phasegate/one');
    await shell(place.cwd, "git for-each-ref --format='delete %(refname)' refs/phasegate/one | git update-ref --stdin");
    expect((await run('rm', 'one')).stdout).toMatch(/^removed run one of "plan"\n$/u);
  });
});

describe('the definition that a fleet has written', () => {
  const definition = () => join(place.cwd, '.phasegate/fleets/one.json');
  const plan = async () => run('plan', 'Go.', '--yes', '--run-id', 'one', ...(await agent(PLANS)));

  it('is removed with its run', async () => {
    await plan();
    expect(existsSync(definition())).toBe(true);
    await run('rm', 'one');
    expect(existsSync(definition())).toBe(false);
    await removeRefs();
    expect((await plan()).code).toBe(0);
    await run('gc', '--keep', '0s');
    expect(existsSync(definition())).toBe(false);
  });

  it.each([[['fleet', '--plan', 'plan.json', '--yes']], [['run', 'own.json']], [['run', 'own.json', '--detach']]])(
    'cannot be written again for the work of a removed run: %j',
    async (command) => {
      const own = { plan: { goal: 'Go.' }, agent: agentFlags()[1], approval: false };
      await put(place.cwd, 'own.json', JSON.stringify(own));
      const writes = `import { writeFileSync } from 'node:fs'; writeFileSync('a', String(Math.random()));`;
      await run('fleet', '--plan', 'plan.json', '--yes', '--run-id', 'one', ...(await agent(writes)));
      const before = await git(place.cwd, 'rev-parse', 'phasegate/one');
      await run('rm', 'one');
      const again = () => run(...command, '--run-id', 'one', ...(command[0] === 'fleet' ? agentFlags() : []));
      const { code, stderr } = await again();
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^Cannot use the id one again as the repository has work of an earlier run with it: phasegate\/one, refs\/phasegate\/one\/…\nLeave --run-id out, or give another\. Or remove that work: \S+#refs\n/u,
      );
      expect(existsSync(definition())).toBe(false);
      await removeRefs();
      expect((await again()).code).toBe(0);
      if (!command.includes('--detach')) expect(await git(place.cwd, 'rev-parse', 'phasegate/one')).not.toBe(before);
    },
  );

  it('stays until its last run is removed', async () => {
    await plan();
    expect((await run('fork', 'one', '--at', '1')).code).toBe(0);
    await run('rm', 'one');
    expect(existsSync(definition())).toBe(true);
    await run('rm', 'latest');
    expect(existsSync(definition())).toBe(false);
  });

  it.each([[[]], [['--store', 'own.db']]])(
    'names the fork that uses it after its run was removed: %j',
    async (store) => {
      await put(place.cwd, '.gitignore', '*.json\n*.db*\n');
      await run('plan', 'Go.', '--yes', '--run-id', 'one', ...store, ...(await agent(PLANS)));
      const again = () => run('fleet', '--plan', 'plan.json', '--yes', '--run-id', 'one', ...store, ...agentFlags());
      const resume = `Continue it: phasegate ${['resume', 'one', ...store].join(' ')}. Or give another --run-id.`;
      expect((await again()).stderr).toContain(resume);
      await run('fork', 'one', '--at', '1', ...store);
      await run('rm', 'one', ...store);
      const { code, stderr } = await again();
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^Cannot start fleet one as run one was removed, and its fork \S+ still uses the definition: \S+one\.json\nGive another --run-id\.\n/u,
      );
      await run('rm', 'latest', ...store);
      await put(place.cwd, '.phasegate/fleets/one.json', '{}');
      expect((await again()).stderr).toMatch(
        /^Cannot start fleet one as the store has no run one, but a definition of it is there: \S+\nGive another --run-id\.\n/u,
      );
    },
  );

  it('stays if a user has started the run from another file', async () => {
    await plan();
    await put(place.cwd, 'own.json', await readFile(definition(), 'utf8').then((text) => text.replace('../..', '.')));
    await run('rm', 'one');
    await removeRefs();
    expect((await run('run', 'own.json', '--run-id', 'one')).code).toBe(0);
    await run('rm', 'one');
    expect(existsSync(join(place.cwd, 'own.json'))).toBe(true);
  });
});

describe('phasegate workspaces --prune', () => {
  it('names --rescue for a folder that is left, and then the ref with its content', async () => {
    const workspaces = gitWorkspace({ repository: place.cwd });
    const { base } = await workspaces.start({ run: 'run', signal });
    const left = await openAt(workspaces, base);
    await put(left.path, 'only-here', 'x');
    await left.close();
    const pruned = (await run('workspaces', '--prune')).stdout.split('\n');
    expect(pruned).toEqual([
      expect.stringMatching(/^left {2}.* Its files are not kept\.$/u),
      'To keep what is left as commits, and to remove its folders: phasegate workspaces --prune --rescue',
      '',
    ]);
    const { stdout } = await run('workspaces', '--prune', '--rescue');
    const [, ref = ''] = /^removed {2}\S+ {2}Its content is kept in (\S+)\.\n$/u.exec(stdout) ?? [];
    expect(await git(place.cwd, 'ls-tree', '--name-only', ref, 'only-here')).toBe('only-here');
    expect(existsSync(left.path)).toBe(false);
  });

  it('has the ref as JSON', async () => {
    const workspaces = gitWorkspace({ repository: place.cwd });
    const { base } = await workspaces.start({ run: 'run', signal });
    const left = await openAt(workspaces, base);
    await put(left.path, 'only-here', 'x');
    await left.close();
    const { stdout } = await run('workspaces', '--prune', '--rescue', '--json');
    const ref = await git(place.cwd, 'for-each-ref', '--format=%(refname)', 'refs/phasegate/run/left');
    expect(JSON.parse(stdout)).toEqual({ path: left.path, state: 'removed', ref });
  });

  it.runIf(process.platform === 'linux')('leaves the folder of an agent whose phasegate was killed', async () => {
    const watched = await witness();
    const args = [
      'fleet',
      '--plan',
      'plan.json',
      '--yes',
      ...(await agent(`import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url); console.log('at work'); ${watched.code}`)),
    ];
    const fleet = start(args, { cwd: place.cwd });
    await watched.born(1);
    fleet.child.kill('SIGKILL');
    await fleet.ended;
    const { stdout } = await run('workspaces', '--prune', '--rescue');
    const [, path = '', pid = ''] =
      /^in use {2}(\S+) .* Process (\d+) still works in it, though .* has ended\. Resume the run, or end the process\.\n$/u.exec(
        stdout,
      ) ?? [];
    expect((await run('rm', 'latest')).stdout).toContain(
      `\nprocess ${pid} still works in ${path}: end it, as the run cannot be resumed\n`,
    );
    expect((await run('workspaces')).stdout).toMatch(
      / has ended\. End the process, as the store has no such run to resume\.\n$/u,
    );
    expect([stdout, existsSync(path)]).toEqual([expect.stringContaining('in use'), true]);
    process.kill(Number(pid), 'SIGKILL');
    await watched.dead();
    expect((await run('workspaces', '--prune')).stdout).toBe(`removed  ${path}\n`);
  });
});
