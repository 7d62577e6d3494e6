/** Processes in workspaces: those that agents leave, and phasegate itself when it is killed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeDirty, makeLab, openAt, pictureOf, placeOf, put, shell, signal, useFolder, type Lab } from './rig.ts';

const folder = useFolder();

/** True if a process has not ended. One that nobody has waited for has ended as well. */
async function lives(pid: number): Promise<boolean> {
  const state = await shell('/', `ps -o state= -p ${pid} || true`);
  return state !== '' && !state.startsWith('Z');
}

async function pidIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file)).toBe(true);
  await expect.poll(() => readFile(file, 'utf8')).toMatch(/^\d+\n$/u);
  return Number(await readFile(file, 'utf8'));
}

describe('a process that an agent leaves', () => {
  it.runIf(process.platform === 'linux')(
    'is stopped before its work is kept, even with a session of its own',
    async () => {
      const lab = await makeLab(folder.path);
      const workspaces = lab.workspaces();
      const { base } = await workspaces.start({ run: 'run', signal });
      const workspace = await openAt(workspaces, base);
      const pidFile = join(lab.root, 'pid');
      const loop = `trap "" TERM; echo $$ > ${pidFile}; while [ -e ${pidFile} ]; do date +%N > busy; done`;
      await shell(workspace.path, `setsid bash -c '${loop}' > /dev/null 2>&1 &`, workspace.env);
      const pid = await pidIn(pidFile);
      expect(await lives(pid)).toBe(true);
      const { commit } = await workspace.keep({ title: 'Do it', signal });
      expect(await lives(pid)).toBe(false);
      expect(await lab.git('show', `${commit}:busy`)).toBe(
        (await readFile(join(workspace.path, 'busy'), 'utf8')).trim(),
      );
      expect(await workspace.close()).toEqual({ removed: true });
    },
  );

  it('is stopped by its group, when another process opens the attempt again', async () => {
    const lab = await makeLab(folder.path);
    const { base } = await lab.workspaces().start({ run: 'run', signal });
    const first = await openAt(lab.workspaces(), base);
    // The environment has no sign of the workspace, as that of a program which clears it.
    const agent = spawn('sleep', ['600'], { cwd: first.path, detached: true, stdio: 'ignore', env: {} });
    const ended = new Promise((resolve) => agent.once('exit', (_, name) => resolve(name)));
    await first.entered(agent.pid ?? 0);
    const second = await openAt(lab.workspaces(), base);
    expect(await ended).toBe('SIGTERM');
    expect(second.path).not.toBe(first.path);
    expect(existsSync(first.path)).toBe(true);
  });

  it('is left alone if it is another process with the same number', async () => {
    const lab = await makeLab(folder.path);
    const { base } = await lab.workspaces().start({ run: 'run', signal });
    const first = await openAt(lab.workspaces(), base);
    const other = spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: {} });
    await first.entered(other.pid ?? 0);
    const marker = join(first.path, '../workspace.json');
    const { groups, ...more } = JSON.parse(await readFile(marker, 'utf8')) as { groups: object[] };
    await put(
      join(marker, '..'),
      'workspace.json',
      JSON.stringify({ ...more, groups: [{ ...groups[0], start: '1' }] }),
    );
    await openAt(lab.workspaces(), base);
    expect(await lives(other.pid ?? 0)).toBe(true);
    other.kill('SIGKILL');
  });
});

describe('an agent that outlives its phasegate', () => {
  it.each(['clone', 'worktree'] as const)('keeps its folder, a %s, until it has ended', async (isolation) => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ isolation });
    const { base } = await workspaces.start({ run: 'run', signal });
    const one = await workspaces.open(placeOf(), { base, disposable: true, signal });
    const agent = spawn('sleep', ['600'], { cwd: one.path, detached: true, stdio: 'ignore', env: {} });
    const ended = new Promise((resolve) => agent.once('exit', resolve));
    await one.entered(agent.pid ?? 0);
    const marker = join(one.path, '../workspace.json');
    const facts = JSON.parse(await readFile(marker, 'utf8')) as { owner: object };
    await put(
      join(marker, '..'),
      'workspace.json',
      JSON.stringify({ ...facts, owner: { ...facts.owner, pid: 2 ** 30 } }),
    );
    const { removed, left } = await workspaces.prune({ rescue: true, signal });
    expect(removed).toEqual([]);
    expect(left.map(({ state, reason }) => [state, reason.split(' ', 2)])).toEqual([
      ['inUse', ['Process', String(agent.pid)]],
    ]);
    expect(await lives(agent.pid ?? 0)).toBe(true);
    agent.kill('SIGKILL');
    await ended;
    expect((await workspaces.prune({ signal })).removed).toEqual([one.path]);
  });
});

/** Programs that work up to a point and then kill themselves, as if by a power cut. */
const POINTS = ['start', 'try', 'clone', 'open', 'agent', 'commit', 'keep', 'close'] as const;

describe('a process that is killed', () => {
  it.each(POINTS)('at the point "%s" leaves nothing that stops the next one', async (point) => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    expect(await child(lab, point)).toBe('SIGKILL');
    expect(await pictureOf(lab.user)).toEqual(before);
    const workspaces = lab.workspaces();
    const { base } = await workspaces.start({ run: 'run', signal });
    expect(base).toBe(await lab.git('rev-parse', 'HEAD'));
    const kept = await workspaces.kept(placeOf(), signal);
    expect(kept !== undefined).toBe(point === 'keep' || point === 'close');
    if (kept === undefined) {
      const workspace = await openAt(workspaces, base);
      expect(existsSync(join(workspace.path, 'mine'))).toBe(false);
      await put(workspace.path, 'mine', 'again\n');
      await workspace.keep({ title: 'Again', signal });
      expect(await workspace.close()).toEqual({ removed: true });
    }
    const { commit } = kept ?? (await workspaces.kept(placeOf(), signal)) ?? {};
    expect(await lab.git('show', `${commit}:mine`)).toBe(kept ? 'first' : 'again');
    const { left } = await workspaces.prune({ signal });
    // Only work that nobody has kept is left.
    expect(left.map(({ state }) => state)).toEqual(point === 'agent' || point === 'commit' ? ['left'] : []);
    expect((await workspaces.prune({ rescue: true, signal })).left).toEqual([]);
    expect(await pictureOf(lab.user)).toEqual(before);
    expect(await pathsOf(lab.root)).toEqual(['.scratch', '.trash']);
  });

  it('between the removal of a worktree and its entry in the repository leaves no entry after a prune', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ isolation: 'worktree' });
    const { base } = await workspaces.start({ run: 'run', signal });
    const [gone, used] = [await openAt(workspaces, base), await openAt(workspaces, base, placeOf('other'))];
    await rm(join(gone.path, '..'), { recursive: true });
    await workspaces.prune({ signal });
    const list = await lab.git('worktree', 'list', '--porcelain');
    expect(list).toContain(used.path);
    expect(list).not.toContain(gone.path);
  });
});

// --- internal ---

/** Paths in the home of the workspaces, of which folders for temporary files have to be empty. */
async function pathsOf(root: string): Promise<readonly string[]> {
  const [home = ''] = await readdir(root);
  const found = await readdir(join(root, home), { recursive: true });
  return found.toSorted();
}

/** Runs a process up to a point. @returns The signal that has ended it. */
function child({ user, root }: Lab, point: string): Promise<string | null> {
  const file = fileURLToPath(new URL('crash.ts', import.meta.url));
  const started = spawn(process.execPath, ['--import', 'jiti/register', file, user, root, point], { stdio: 'inherit' });
  return new Promise((resolve) => started.once('exit', (_, name) => resolve(name)));
}
