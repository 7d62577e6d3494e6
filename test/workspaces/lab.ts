/**
 * Repositories of users, and pictures of their state, for tests and for programs that no test runner runs.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitWorkspace } from '../../src/workspaces/operations/git-workspace.ts';
import type { GitWorkspaceOptions } from '../../src/workspaces/options.ts';
import type { Workspaces } from '../../src/workspaces/port.ts';
import { put } from './rig-places.ts';

/** Runs git as a person would. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  const { stdout } = await execute('git', [...identity, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trimEnd();
}

/** A user's repository, and the root of its workspaces. */
export interface Lab {
  readonly user: string;
  readonly root: string;
  readonly workspaces: (options?: GitWorkspaceOptions) => Workspaces;
  git(...args: readonly string[]): Promise<string>;
  put(name: string, text: string): Promise<void>;
}

/** Makes a repository with one commit. */
export async function makeLab(folder: string): Promise<Lab> {
  const home = await mkdtemp(join(folder, 'lab-'));
  const [user, root] = [join(home, 'user'), join(home, 'root')];
  await mkdir(user);
  await git(user, 'init', '-q', '-b', 'main');
  await put(user, 'a.txt', 'a\n');
  await put(user, 'src/b.txt', 'b\n');
  await put(user, '.gitignore', 'ignored/\n.env.local\n');
  await git(user, 'add', '-A');
  await git(user, 'commit', '-q', '-m', 'Begin');
  return {
    user,
    root,
    workspaces: (options = {}) => gitWorkspace({ repository: user, root, timeout: 60_000, ...options }),
    git: (...args) => git(user, ...args),
    put: (name, text) => put(user, name, text),
  };
}

/** Makes a repository as `git clone --depth` leaves it, of one with four commits on its branch and one more on a branch `side`. */
export async function makeShallow(folder: string, depth: number): Promise<Lab> {
  const origin = await makeLab(folder);
  for (const name of ['two', 'three', 'four']) {
    await origin.put(`${name}.txt`, `${name}\n`);
    await origin.git('add', '-A');
    await origin.git('commit', '-q', '-m', `Add ${name}`);
  }
  await origin.git('checkout', '-q', '-b', 'side', 'HEAD~1');
  await origin.put('side.txt', 'side\n');
  await origin.git('add', '-A');
  await origin.git('commit', '-q', '-m', 'Add side');
  await origin.git('checkout', '-q', 'main');
  const lab = await makeLab(folder);
  await rm(lab.user, { recursive: true });
  await git(folder, 'clone', '-q', '--depth', String(depth), `file://${origin.user}`, lab.user);
  return lab;
}

/** Gives a repository all that a user may have uncommitted: dirty, staged, half-staged, untracked, ignored files and a stash. */
export async function makeDirty({ user }: Lab): Promise<void> {
  const inUser = (...args: readonly string[]) => git(user, ...args);
  const write = (name: string, text: string) => put(user, name, text);
  await write('src/b.txt', 'stashed\n');
  await inUser('stash');
  for (const name of ['dirty', 'staged', 'half', 'gone']) await write(`u/${name}.txt`, `${name}\n`);
  await inUser('add', '-A');
  await inUser('commit', '-q', '-m', 'Add files of the user');
  await write('u/dirty.txt', 'dirty 2\n');
  await write('u/staged.txt', 'staged 2\n');
  await write('u/half.txt', 'half 2\n');
  await inUser('add', 'u/staged.txt', 'u/half.txt');
  await write('u/half.txt', 'half 3\n');
  await rm(join(user, 'u/gone.txt'));
  await write('new.txt', 'untracked\n');
  await write('ignored/cache', 'ignored\n');
  await write('.env.local', 'SECRET=1\n');
  // Git would like to note in the index that the content is the same.
  await write('a.txt', 'a\n');
}

/** All that belongs to the user: files with their bytes, the index, HEAD, branches, tags, stash, configuration, hooks. */
export async function pictureOf(user: string): Promise<Readonly<Record<string, string>>> {
  const files = await filesOf(user, '');
  const refs = await git(user, 'for-each-ref', '--format=%(refname) %(objectname)');
  const own = refs.split('\n').filter((line) => !/^refs\/(?:phasegate|heads\/phasegate)\//u.test(line));
  return { ...files, refs: own.join('\n') };
}

// --- internal ---

const execute = promisify(execFile);

/** Parts of `.git` that change with every run: objects, and the refs of phasegate. */
const OURS =
  /^\.git\/(?:objects|refs\/phasegate|refs\/heads\/phasegate|logs\/refs\/heads\/phasegate|worktrees)(?:\/|$)/u;

/**
 * Files that SQLite keeps next to a store. On a Node without SQLite, a closed store loses them when its statements are garbage
 * collected, so one may go between the list of a folder and its reading.
 */
const STORE_LOGS = /\.db-(?:shm|wal)$/u;

/** Folders of `.git` that git makes with the first branch. */
const LOGS = /^\.git\/logs(?:\/refs(?:\/heads)?)?$/u;

async function filesOf(folder: string, below: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    const path = join(folder, name);
    if (OURS.test(name) || STORE_LOGS.test(name)) continue;
    if (entry.isDirectory())
      Object.assign(found, LOGS.test(name) ? {} : { [`${name}/`]: 'folder' }, await filesOf(folder, name));
    else if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(path)}`;
    else
      found[name] = `${(await lstat(path)).mode} ${createHash('sha256')
        .update(await readFile(path))
        .digest('hex')}`;
  }
  return found;
}
