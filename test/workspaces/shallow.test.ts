/** Repositories with a part of their history, as `git clone --depth` leaves them, which is the usual checkout of a CI server. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyRun } from '../../src/workspaces/operations/apply-run.ts';
import type { Workspaces } from '../../src/workspaces/port.ts';
import { makeShallow, openAt, pictureOf, placeOf, put, shell, signal, useFolder, workAt, type Lab } from './rig.ts';

const folder = useFolder();

/** Returns the view of an agent in a clone at a commit: the history, damage, remotes and branches, and the files. */
async function seenIn(workspaces: Workspaces, base: string, name: string): Promise<readonly string[]> {
  const workspace = await openAt(workspaces, base, placeOf(name));
  const seen = await Promise.all(
    [
      'git log --format=%s',
      'git fsck --no-dangling 2>&1; git remote; git for-each-ref --format="%(refname)"',
      'git status --short; git ls-files',
    ].map((line) => shell(workspace.path, line)),
  );
  expect(await workspace.close()).toEqual({ removed: true });
  return seen;
}

const FILES = '.gitignore\na.txt\nfour.txt';
const MORE = 'src/b.txt\nthree.txt\ntwo.txt';

describe.each([
  [1, 'Add four'],
  [2, 'Add four\nAdd three'],
])('a clone of depth %i', (depth, history) => {
  it('has phases that follow each other, a rewind, and a hand-over', async () => {
    const lab = await makeShallow(folder.path, depth);
    const before = await pictureOf(lab.user);
    const workspaces = lab.workspaces();
    const { base, notes } = await workspaces.start({ run: 'run', signal });
    expect(notes.map(({ code }) => code)).toEqual(['shallow']);

    const first = await workAt(workspaces, base, placeOf('first'), (path) =>
      shell(path, 'echo 1 > first.txt; git add -A; git commit -qm Mine; echo 2 >> first.txt'),
    );
    expect(first.closed).toEqual({ removed: true });
    expect(first.snapshot.notes.map(({ code }) => code)).toEqual(['ownCommits']);
    const own = await lab.git('for-each-ref', '--format=%(objectname)', 'refs/phasegate/run/commits');
    expect(await lab.git('log', '--format=%s', own)).toBe(`Mine\n${history}`);

    expect(await seenIn(workspaces, first.snapshot.commit, 'check')).toEqual([
      `phasegate(build): Do first\n${history}`,
      'refs/heads/main',
      `${FILES.replace('four', 'first.txt\nfour')}\n${MORE}`,
    ]);
    const second = await workAt(workspaces, first.snapshot.commit, placeOf('second'), (path) =>
      put(path, 'second.txt', '2\n'),
    );
    expect(second.closed).toEqual({ removed: true });

    // The next attempt starts at the base, and its agent is told the id of the earlier one.
    const again = await workAt(workspaces, base, placeOf('first', 1), (path) =>
      shell(path, `git show ${first.snapshot.commit}:first.txt > first.txt; echo 3 >> first.txt`),
    );
    expect(again.closed).toEqual({ removed: true });
    const parts = [
      { name: 'first', title: 'First', commit: again.snapshot.commit, start: base },
      { name: 'second', title: 'Second', commit: second.snapshot.commit, start: first.snapshot.commit },
    ];
    const merged = await workspaces.integrate({ place: placeOf('all'), base, parts, signal });
    expect(merged.conflicts).toEqual([]);
    const [seen] = await seenIn(workspaces, merged.commit, 'last');
    expect(seen).toContain(history);
    expect((await workspaces.diff({ from: base, to: merged.commit, signal })).files.map(({ path }) => path)).toEqual([
      'first.txt',
      'second.txt',
    ]);
    await workspaces.publish({ run: 'run', commit: merged.commit, signal });
    expect(await pictureOf(lab.user)).toEqual(before);
    expect(await lab.git('fsck', '--no-dangling')).toBe('');

    const applied = await applyRun({ repository: lab.user, root: lab.root, run: 'run', signal });
    expect(applied).toEqual({ applied: true, from: base, to: merged.commit });
    expect(await lab.git('show', 'HEAD:first.txt', 'HEAD:second.txt')).toBe('1\n2\n3\n2');
    await lab.git('fetch', '-q', '--unshallow');
    expect(await lab.git('log', '--format=%s')).toContain('Begin');
    expect(await seenIn(workspaces, merged.commit, 'whole')).toContainEqual(expect.stringContaining('Begin'));
  });

  it('has uncommitted work as the base', async () => {
    const lab = await makeShallow(folder.path, depth);
    await lab.put('new.txt', 'new\n');
    const workspaces = lab.workspaces({ base: 'head+dirty' });
    const { base } = await workspaces.start({ run: 'run', signal });
    const [seen, state] = await seenIn(workspaces, base, 'check');
    expect([seen, state]).toEqual([`phasegate: uncommitted work before run run\n${history}`, 'refs/heads/main']);
  });
});

async function firstWork(lab: Lab) {
  const workspaces = lab.workspaces();
  const { base } = await workspaces.start({ run: 'run', signal });
  return workAt(workspaces, base, placeOf(), (path) => put(path, 'mine', 'mine\n'));
}

describe('a shallow repository', () => {
  it('at a commit that is on no branch, and whose history ends elsewhere', async () => {
    const lab = await makeShallow(folder.path, 1);
    await lab.git('fetch', '-q', '--depth', '1', 'origin', 'side');
    const commit = await lab.git('rev-parse', 'FETCH_HEAD');
    const [seen, state] = await seenIn(lab.workspaces(), commit, 'check');
    expect([seen, state]).toEqual(['Add side', 'refs/heads/main']);
  });

  it('without a branch, as a CI server checks out a pull request', async () => {
    const lab = await makeShallow(folder.path, 1);
    await lab.git('fetch', '-q', '--depth', '1', 'origin', '+side:refs/remotes/pull/1/merge');
    await lab.git('checkout', '-q', '--detach', 'refs/remotes/pull/1/merge');
    await lab.git('branch', '-q', '-D', 'main');
    const { snapshot, closed } = await firstWork(lab);
    expect(closed).toEqual({ removed: true });
    expect(await seenIn(lab.workspaces(), snapshot.commit, 'check')).toEqual([
      'phasegate(build): Do task\nAdd side',
      expect.not.stringContaining('error') as string,
      '.gitignore\na.txt\nmine\nside.txt\nsrc/b.txt\nthree.txt\ntwo.txt',
    ]);
  });

  it('whose user refuses to clone shallow ones, and uses the first protocol', async () => {
    const lab = await makeShallow(folder.path, 1);
    const config = join(lab.root, '..', 'config');
    await shell(folder.path, `git config --file ${config} clone.rejectShallow true`);
    await shell(folder.path, `git config --file ${config} protocol.version 0`);
    const global = process.env['XDG_CONFIG_HOME'];
    await shell(folder.path, `mkdir -p ${lab.root}-home/git; cp ${config} ${lab.root}-home/git/config`);
    process.env['XDG_CONFIG_HOME'] = `${lab.root}-home`;
    try {
      const { snapshot } = await firstWork(lab);
      const loose = await lab.git('commit-tree', '-m', 'Loose', '-p', snapshot.commit, `${snapshot.commit}^{tree}`);
      expect((await seenIn(lab.workspaces(), loose, 'check'))[0]).toBe('Loose\nphasegate(build): Do task\nAdd four');
    } finally {
      if (global === undefined) delete process.env['XDG_CONFIG_HOME'];
      else process.env['XDG_CONFIG_HOME'] = global;
    }
  });

  it('with a link among its objects', async () => {
    const lab = await makeShallow(folder.path, 1);
    await symlink('/nowhere', join(lab.user, '.git/objects/link'));
    const { snapshot } = await firstWork(lab);
    expect((await seenIn(lab.workspaces(), snapshot.commit, 'check'))[0]).toBe('phasegate(build): Do task\nAdd four');
  });
});
