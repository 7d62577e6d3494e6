/** Repositories as users have them: settings, hooks, locks, unusual states, uncommitted work. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nestedLeftOut } from '../../src/workspaces/snapshot/user-state.ts';
import {
  makeDirty,
  makeLab,
  openAt,
  pictureOf,
  placeOf,
  put,
  shell,
  signal,
  useFolder,
  workAt,
  type Lab,
} from './rig.ts';

const folder = useFolder();

/** Does all that a run does, and compares the user's repository before and after. */
async function goThrough(lab: Lab, options: Parameters<Lab['workspaces']>[0] = {}, run = 'run') {
  const before = await pictureOf(lab.user);
  const workspaces = lab.workspaces(options);
  const started = await workspaces.start({ run, signal });
  const work = await workAt(workspaces, started.base, placeOf('task', 0, run), (path) => put(path, 'mine', 'mine\n'));
  const place = placeOf('integrate', 0, run);
  const parts = [{ name: 'task', title: 'Do it', commit: work.snapshot.commit }];
  const merged = await workspaces.integrate({ place, base: started.base, parts, signal });
  await workspaces.publish({ run, commit: merged.commit, signal });
  expect(work.closed).toEqual({ removed: true });
  expect(await lab.git('show', `${started.branch}:mine`)).toBe('mine');
  expect(await pictureOf(lab.user)).toEqual(before);
  return { ...started, ...work };
}

/** States of a user's repository. */
const STATES: readonly (readonly [string, readonly string[], (lab: Lab) => Promise<unknown>])[] = [
  ['hooks that fail', [], failingHooks],
  [
    'signed commits',
    [],
    (lab) => settings(lab, ['commit.gpgSign', 'true'], ['tag.gpgSign', 'true'], ['gpg.program', 'false']),
  ],
  ['no identity', [], (lab) => settings(lab, ['user.useConfigOnly', 'true'])],
  [
    'odd settings',
    [],
    (lab) =>
      settings(
        lab,
        ['core.autocrlf', 'true'],
        ['core.safecrlf', 'true'],
        ['core.fsmonitor', 'false'],
        ['core.splitIndex', 'true'],
        ['diff.renames', 'copies'],
        ['core.quotePath', 'true'],
        ['core.fileMode', 'false'],
      ),
  ],
  ['a locked index', [], (lab) => lab.put('.git/index.lock', '')],
  ['a locked configuration', [], (lab) => lab.put('.git/config.lock', '')],
  ['a detached HEAD', ['detached'], (lab) => lab.git('checkout', '-q', '--detach')],
  ['a merge in progress', ['uncommitted', 'inProgress'], (lab) => conflict(lab)],
  ['a rebase in progress', ['uncommitted', 'detached', 'inProgress'], (lab) => conflict(lab, 'rebase')],
  [
    'a repository inside of a folder',
    ['uncommitted', 'nestedLeftOut'],
    ({ user }) => shell(user, 'mkdir -p deep/n; cd deep/n; git init -q; echo 1 > 1'),
  ],
  ['a submodule', ['submodules'], submodule],
  ['names whose case does not count', ['caseInsensitive'], (lab) => settings(lab, ['core.ignoreCase', 'true'])],
  [
    'a filter that is missing',
    ['lfs'],
    (lab) => lab.put('.gitattributes', '*.bin filter=lfs\n').then(() => commitAll(lab)),
  ],
  [
    'a filter that is missing, of files in a folder',
    ['lfs'],
    (lab) => lab.put('src/.gitattributes', '*.bin filter=lfs\n').then(() => commitAll(lab)),
  ],
  ['a sparse checkout', ['sparse'], (lab) => lab.git('sparse-checkout', 'set', '--no-cone', '/a.txt')],
  ['packed refs and objects', [], (lab) => lab.git('gc', '-q').then(() => lab.git('pack-refs', '--all'))],
];

describe('a repository with', () => {
  it.each(STATES)('%s', async (_, codes, prepare) => {
    const lab = await makeLab(folder.path);
    await prepare(lab);
    const { notes, snapshot } = await goThrough(lab);
    expect(notes.map(({ code }) => code)).toEqual(codes);
    expect(snapshot.files).toEqual([{ path: 'mine', status: 'added' }]);
    await lab.put('new.txt', 'new\n');
    const dirty = await goThrough(lab, { base: 'head+dirty' }, 'second');
    expect(await lab.git('show', `${dirty.base}:new.txt`)).toBe('new');
    expect(dirty.snapshot.files).toEqual([{ path: 'mine', status: 'added' }]);
  });

  it('a filter is told that work is committed as it is, which it then is', async () => {
    const lab = await makeLab(folder.path);
    await lab.put('.gitattributes', 'mine filter=upper\n');
    await lab.git('config', 'filter.upper.clean', 'tr a-z A-Z');
    await commitAll(lab);
    const { notes, snapshot } = await goThrough(lab);
    expect(notes.map(({ text }) => text)).toEqual([
      expect.stringContaining('agents write to them is committed as it is.'),
    ]);
    expect(await lab.git('show', `${snapshot.commit}:mine`)).toMatch(/[a-z]/u);
  });

  it('no commit', async () => {
    const lab = await makeLab(folder.path);
    await rm(join(lab.user, '.git'), { recursive: true });
    await lab.git('init', '-q', '-b', 'main');
    const { notes, snapshot } = await goThrough(lab);
    expect(notes.map(({ code }) => code)).toEqual(['unborn', 'uncommitted']);
    expect(await lab.git('ls-tree', '-r', '--name-only', snapshot.commit)).toBe('mine');
    const dirty = await goThrough(lab, { base: 'head+dirty' }, 'second');
    expect(await lab.git('ls-tree', '-r', '--name-only', dirty.snapshot.commit)).toBe(
      '.gitignore\na.txt\nmine\nsrc/b.txt',
    );
  });

  it('a shallow history', async () => {
    const origin = await makeLab(folder.path);
    await origin.put('a.txt', '2\n');
    await origin.git('commit', '-qam', 'Second');
    const lab = await makeLab(folder.path);
    await rm(lab.user, { recursive: true });
    await shell(folder.path, `git clone -q --depth 1 file://${origin.user} ${lab.user}`);
    expect((await goThrough(lab)).notes.map(({ code }) => code)).toEqual(['shallow']);
  });

  it('a part of its files is refused, with what to do', async () => {
    const origin = await makeLab(folder.path);
    await origin.git('config', 'uploadpack.allowFilter', 'true');
    const lab = await makeLab(folder.path);
    await rm(lab.user, { recursive: true });
    await shell(folder.path, `git clone -q --filter=blob:none file://${origin.user} ${lab.user}`);
    await expect(lab.workspaces().start({ run: 'run', signal })).rejects.toThrow('has a partial clone');
    await lab.git('-c', 'maintenance.auto=false', 'fetch', '-q', '--refetch', '--no-filter');
    for (const name of ['promisor', 'partialclonefilter']) await lab.git('config', '--unset', `remote.origin.${name}`);
    await goThrough(lab);
  });

  it('several working trees, of which one is used', async () => {
    const lab = await makeLab(folder.path);
    const linked = join(lab.root, '../linked');
    await lab.git('worktree', 'add', '-q', '-b', 'linked', linked);
    await put(linked, 'only-here', 'x\n');
    await shell(linked, 'git add -A; git commit -qm Here');
    const { base } = await goThrough(lab, { repository: join(linked, 'src') });
    expect(base).toBe(await shell(linked, 'git rev-parse HEAD'));
  });

  it('variables of git in the environment, as in a hook', async () => {
    const lab = await makeLab(folder.path);
    const leaked = {
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/nowhere',
      GIT_INDEX_FILE: '/nowhere/index',
      GIT_CONFIG_COUNT: '9',
    };
    Object.assign(process.env, leaked);
    const going = goThroughLeaked(lab);
    await going.finally(() => Object.keys(leaked).forEach((name) => delete process.env[name]));
  });
});

describe('uncommitted work', () => {
  it('is the base with head+dirty, without ignored files and repositories inside', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    await symlink('/etc', join(lab.user, 'link'));
    await shell(lab.user, 'mkdir n empty; cd n; git init -q; echo 1 > 1; cd ../empty; git init -q');
    const { base, notes, snapshot } = await goThrough(lab, { base: 'head+dirty' });
    expect(notes.map(({ code }) => code)).toEqual(['uncommitted', 'nestedLeftOut']);
    expect(notes[1]?.text).toBe("Repositories inside of the user's folder are left out: empty/, n/.");
    expect(nestedLeftOut(Array.from({ length: 25 }, (_, at) => `${at}/`))[0]?.text).toMatch(/, 19\/, and 5 more\.$/u);
    expect(await lab.git('diff', '--name-status', 'HEAD', base)).toBe(
      'A\tlink\nA\tnew.txt\nM\tu/dirty.txt\nD\tu/gone.txt\nM\tu/half.txt\nM\tu/staged.txt',
    );
    expect(await lab.git('show', `${base}:u/half.txt`)).toBe('half 3');
    expect(await lab.git('rev-parse', `${base}^`)).toBe(await lab.git('rev-parse', 'HEAD'));
    expect(snapshot.base).toBe(base);
  });

  it('is HEAD itself if there is none', async () => {
    const lab = await makeLab(folder.path);
    const { base } = await goThrough(lab, { base: 'head+dirty' });
    expect(base).toBe(await lab.git('rev-parse', 'HEAD'));
  });

  it('is found even if a file changed right after it was staged, with the same size and time', async () => {
    const lab = await makeLab(folder.path);
    const time = new Date(2026, 0, 1);
    await lab.put('a.txt', '1\n');
    await utimes(join(lab.user, 'a.txt'), time, time);
    await lab.git('config', 'core.trustctime', 'false');
    await lab.git('add', 'a.txt');
    await utimes(join(lab.user, '.git/index'), time, time);
    await lab.put('a.txt', '2\n');
    await utimes(join(lab.user, 'a.txt'), time, time);
    const { base } = await lab.workspaces({ base: 'head+dirty' }).start({ run: 'run', signal });
    expect(await lab.git('show', `${base}:a.txt`)).toBe('2');
  });
});

describe('several runs at once', () => {
  it('do not disturb each other, nor does a run that is started twice', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const runs = ['one', 'two', 'Two', 'two/../x y'];
    const results = await Promise.all(
      [...runs, ...runs].map(async (run, index) => {
        const workspaces = lab.workspaces({ ports: 3 });
        const { base, branch } = await workspaces.start({ run, signal });
        const place = placeOf(`task ${index}`, 0, run);
        const workspace = await openAt(workspaces, base, place);
        await put(workspace.path, `${index}.txt`, 'x');
        const { commit } = await workspace.keep({ title: 'Do it', signal });
        const first = Number(workspace.env['PHASEGATE_PORT']);
        await workspace.close();
        return { branch, commit, ports: [first, first + 1, first + 2], path: workspace.path };
      }),
    );
    expect(new Set(results.map(({ branch }) => branch)).size).toBe(runs.length);
    expect(new Set(results.map(({ path }) => path)).size).toBe(results.length);
    expect(new Set(results.flatMap(({ ports }) => ports)).size).toBe(3 * results.length);
    expect(await pictureOf(lab.user)).toEqual(before);
    await lab.git('fsck', '--strict');
  });

  it('let one of several calls for one attempt win', async () => {
    const lab = await makeLab(folder.path);
    const { base } = await lab.workspaces().start({ run: 'run', signal });
    const opened = await Promise.all([1, 2, 3].map(() => openAt(lab.workspaces(), base)));
    await Promise.all(opened.map(({ path }, index) => put(path, 'x', String(index))));
    const kept = await Promise.all(opened.map((one) => one.keep({ title: 'X', signal })));
    expect(new Set(kept.map(({ commit }) => commit)).size).toBe(1);
    const closed = await Promise.all(opened.map((one) => one.close()));
    expect(closed.filter(({ removed }) => removed).length).toBe(1);
  });
});

// --- internal ---

async function goThroughLeaked(lab: Lab): Promise<void> {
  const workspaces = lab.workspaces();
  const { base } = await workspaces.start({ run: 'run', signal });
  const { snapshot } = await workAt(workspaces, base, placeOf(), (path) => put(path, 'mine', 'x'));
  expect(snapshot.files).toEqual([{ path: 'mine', status: 'added' }]);
}

async function settings({ user }: Lab, ...pairs: readonly (readonly [string, string])[]): Promise<void> {
  for (const [key, value] of pairs) await promisify(execFile)('git', ['config', key, value], { cwd: user });
}

async function failingHooks({ user }: Lab): Promise<void> {
  await mkdir(join(user, '.git/hooks'), { recursive: true });
  for (const name of ['reference-transaction', 'pre-commit', 'post-checkout', 'post-index-change', 'commit-msg']) {
    await put(user, `.git/hooks/${name}`, '#!/bin/sh\nexit 1\n');
    await chmod(join(user, '.git/hooks', name), 0o755);
  }
}

async function conflict({ user }: Lab, how = 'merge'): Promise<void> {
  await shell(
    user,
    'git checkout -qb o; echo 1 > a.txt; git commit -qam 1; git checkout -q main; echo 2 > a.txt; git commit -qam 2; git $HOW o || true',
    { HOW: how },
  );
}

async function commitAll({ user }: Lab): Promise<void> {
  await shell(user, 'git add -A; git commit -qm More');
}

async function submodule({ user }: Lab): Promise<void> {
  const other = await mkdtemp(join(folder.path, 'module-'));
  await shell(other, 'git init -q; git commit -q --allow-empty -m Begin');
  await shell(user, `git -c protocol.file.allow=always submodule --quiet add ${other} module; git commit -qm Module`);
}
