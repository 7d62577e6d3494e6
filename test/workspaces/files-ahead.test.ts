/** Workspaces whose files are made ahead, while an agent works in another one. They are as any other. */
import { fork } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { GitWorkspaceOptions } from '../../src/workspaces/options.ts';
import type { Workspaces } from '../../src/workspaces/port.ts';
import { makeLab, makeShallow, openAt, placeOf, shell, signal, useFolder, workAt, type Lab } from './rig.ts';

const folder = useFolder();
const SLOW = { timeout: 20_000 };

/** Files of a lab that are made ahead, or are being made. */
async function filesAhead({ root }: Lab): Promise<readonly string[]> {
  const [home = ''] = await readdir(root);
  const scratch = join(root, home, '.scratch');
  const folders = (await readdir(scratch)).map((name) => join(scratch, name, 'files'));
  return thoseThere(folders);
}

/** Files whose index git has written, which it does last. */
async function completeAhead(lab: Lab): Promise<readonly string[]> {
  const indexes = (await filesAhead(lab)).map((one) => join(one, '.git', 'index'));
  return (await thoseThere(indexes)).map((one) => dirname(dirname(one)));
}

/** Waits until files are complete. @returns Their folder. */
async function madeAhead(lab: Lab): Promise<string> {
  await expect.poll(() => completeAhead(lab), SLOW).toHaveLength(1);
  return (await completeAhead(lab))[0] ?? '';
}

async function thoseThere(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(isThere));
  return paths.filter((_, at) => found[at]);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Starts a run, and opens a workspace after which another follows. */
async function begin(lab: Lab, options?: GitWorkspaceOptions): Promise<{ workspaces: Workspaces; base: string }> {
  const workspaces = lab.workspaces(options);
  const { base } = await workspaces.start({ run: 'run', signal });
  await workspaces.open(placeOf('first'), { base, ahead: 1, signal });
  return { workspaces, base };
}

/** Commits other files, without a change of the user's branch. */
async function laterCommit(lab: Lab): Promise<string> {
  const line = 'echo 2 > a.txt; rm src/b.txt; echo new > new.txt; chmod +x new.txt; ln -s new.txt link; git add -A';
  return shell(
    lab.user,
    `git worktree add -q --detach ../other; cd ../other; ${line}; git commit -qm Later; git rev-parse HEAD`,
  );
}

/** Everything about a folder: its files with modes and content, and what git says of it. */
async function pictureAt(path: string): Promise<readonly string[]> {
  const lines = [
    String.raw`find . -path ./.git -prune -o -type f -printf '%p %m %s\n' -o -printf '%p %m %l\n' | sort`,
    'find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 cat',
    'git status --short --branch --ignored',
    'git log --format=%H -1',
    'git config --local --list | sort',
    'find .git -path .git/objects -prune -o -type f -print | sort',
    'ls -A .git/objects/info || true',
  ];
  return Promise.all(lines.map((line) => shell(path, line)));
}

describe('a workspace with files that were made ahead', () => {
  it('has those that the start of a new run has made', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces();
    const { base } = await workspaces.start({ run: 'run', ahead: 1, signal });
    const made = await stat(join(await madeAhead(lab), 'a.txt'));
    expect(await workspaces.start({ run: 'run', ahead: 1, signal })).toMatchObject({ base });
    const { path } = await openAt(workspaces, base, placeOf());
    expect((await stat(join(path, 'a.txt'))).ino).toBe(made.ino);
    // A run that has a base may have all its work already.
    const listeners = process.listenerCount('exit');
    await workspaces.start({ run: 'run', ahead: 1, signal });
    expect(await filesAhead(lab)).toEqual([]);
    // Files that are only planned are deleted at the exit as well.
    expect(process.listenerCount('exit')).toBe(listeners);
  });

  it('has the uncommitted files that its run starts with', async () => {
    const lab = await makeLab(folder.path);
    await writeFile(join(lab.user, 'a.txt'), 'uncommitted\n');
    const workspaces = lab.workspaces({ base: 'head+dirty' });
    const { base } = await workspaces.start({ run: 'run', ahead: 1, signal });
    const made = await stat(join(await madeAhead(lab), 'a.txt'));
    const { path } = await openAt(workspaces, base, placeOf());
    expect((await stat(join(path, 'a.txt'))).ino).toBe(made.ino);
    expect(await shell(path, 'cat a.txt; git status --short')).toBe('uncommitted');
  });

  it('is the same as one without, also at another commit', async () => {
    const lab = await makeLab(folder.path);
    const { workspaces, base } = await begin(lab);
    const made = await stat(join(await madeAhead(lab), '.gitignore'));
    const commit = await laterCommit(lab);
    const ready = await openAt(workspaces, commit, placeOf('ready'));
    expect((await stat(join(ready.path, '.gitignore'))).ino).toBe(made.ino);
    expect(await filesAhead(lab)).toEqual([]);
    const other = await openAt(workspaces, commit, placeOf('other'));
    expect(await pictureAt(ready.path)).toEqual(await pictureAt(other.path));
    expect(commit).not.toBe(base);
  });

  it('is the same as one without, in a shallow repository at a commit that is on no branch', async () => {
    const lab = await makeShallow(folder.path, 1);
    await lab.git('config', 'core.autocrlf', 'true');
    const commit = await laterCommit(lab);
    const workspaces = lab.workspaces();
    await workspaces.open(placeOf('first'), { base: commit, ahead: 1, signal });
    const made = await stat(join(await madeAhead(lab), 'new.txt'));
    const ready = await openAt(workspaces, commit, placeOf('ready'));
    expect((await stat(join(ready.path, 'new.txt'))).ino).toBe(made.ino);
    const other = await openAt(workspaces, commit, placeOf('other'));
    expect(await pictureAt(ready.path)).toEqual(await pictureAt(other.path));
    expect(await shell(ready.path, String.raw`git log --format=%s; grep -c $'\r' new.txt`)).toBe('Later\nAdd four\n1');
  });

  it('has those of a repository whose ids are SHA-256', async () => {
    const lab = await makeLab(folder.path);
    const line = 'rm -rf .git; git init -q --object-format=sha256; git add -A; git commit -qm Begin';
    await shell(lab.user, line);
    const { workspaces, base } = await begin(lab);
    const made = await stat(join(await madeAhead(lab), 'a.txt'));
    const { path } = await openAt(workspaces, base, placeOf('second'));
    expect((await stat(join(path, 'a.txt'))).ino).toBe(made.ino);
    expect(await shell(path, 'git rev-parse HEAD; git status --short')).toMatch(/^[0-9a-f]{64}$/u);
  });

  it.each(Object.entries(changes()))('has a change in its snapshot that an agent makes %s', async (_, line) => {
    const lab = await makeLab(folder.path);
    const { workspaces, base } = await begin(lab);
    const made = await stat(join(await madeAhead(lab), 'a.txt'));
    const { snapshot, closed } = await workAt(workspaces, base, placeOf('second'), async (path) => {
      expect((await stat(join(path, 'a.txt'))).ino).toBe(made.ino);
      await shell(path, line);
    });
    expect(snapshot.files).toEqual([{ path: 'a.txt', status: 'modified' }]);
    expect(await lab.git('show', `${snapshot.commit}:a.txt`)).toBe('A');
    expect(closed.removed).toBe(true);
  });

  it('does not exist if someone has put a file into them, even an ignored one', async () => {
    const lab = await makeLab(folder.path);
    const { workspaces, base } = await begin(lab);
    const files = await madeAhead(lab);
    await shell(files, 'mkdir ignored; echo planted > ignored/tool');
    const workspace = await openAt(workspaces, base, placeOf('second'));
    expect(await readdir(workspace.path)).not.toContain('ignored');
    expect(await isThere(files)).toBe(false);
    expect(await shell(workspace.path, 'git status --short --ignored')).toBe('');
  });

  it('has the files of its commit if someone has changed them', async () => {
    const lab = await makeLab(folder.path);
    const { workspaces, base } = await begin(lab);
    const files = await madeAhead(lab);
    await writeFile(join(files, 'a.txt'), 'changed\n');
    await shell(files, 'rm src/b.txt; printf "exit 1\\n" > .git/hooks-of-someone');
    const workspace = await openAt(workspaces, base, placeOf('second'));
    expect(await shell(workspace.path, 'cat a.txt src/b.txt; ls .git | grep -c someone || true')).toBe('a\nb\n0');
  });
});

describe('files that are made ahead', () => {
  it('are as many as will be needed, also if several workspaces ask for them', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces();
    const { base } = await workspaces.start({ run: 'run', signal });
    for (const name of ['one', 'two', 'three']) await workspaces.open(placeOf(name), { base, ahead: 2, signal });
    await expect.poll(() => completeAhead(lab), SLOW).toHaveLength(2);
    expect(await filesAhead(lab)).toHaveLength(2);
  });

  it.each([
    ['working trees of the repository', { isolation: 'worktree' }],
    ['a limit of bytes', { maxBytes: 10 ** 12 }],
  ] as const)('are none with %s', async (_, options) => {
    const lab = await makeLab(folder.path);
    const { workspaces, base } = await begin(lab, options);
    // Takes longer than the start of a folder.
    await workAt(workspaces, base, placeOf('second'), (path) => shell(path, 'echo 2 > a.txt'));
    expect(await filesAhead(lab)).toEqual([]);
  });

  it('are deleted after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const lab = await makeLab(folder.path);
      await begin(lab);
      const files = await madeAhead(lab);
      vi.advanceTimersByTime(600_000);
      await expect.poll(() => isThere(files), SLOW).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['at the end of the process', 'end'],
    ['by the next process, if theirs is killed', 'kill'],
  ])('are deleted %s', async (_, how) => {
    const lab = await makeLab(folder.path);
    const program = fileURLToPath(new URL('ahead.ts', import.meta.url));
    const child = fork(program, [lab.user, lab.root], { execArgv: ['--import', 'jiti/register'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.once('message', resolve));
    const files = await madeAhead(lab);
    if (how === 'kill') child.kill('SIGKILL');
    else child.disconnect();
    await ended;
    if (how === 'kill') {
      expect(await isThere(files)).toBe(true);
      const workspaces = lab.workspaces();
      const { base } = await workspaces.start({ run: 'run', signal });
      await openAt(workspaces, base, placeOf('second'));
    }
    await expect.poll(() => isThere(files), SLOW).toBe(false);
  });
});

/** Changes that a comparison of sizes and times may miss. */
function changes(): Readonly<Record<string, string>> {
  return {
    'at once, with the same size': 'printf "A\\n" > a.txt',
    'with the same size and time': 'touch -r a.txt ../time; printf "A\\n" > a.txt; touch -r ../time a.txt',
    'with its own index replaced': 'rm -rf .git; git init -q; printf "A\\n" > a.txt; git add -A',
  };
}
