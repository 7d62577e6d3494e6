/**
 * The folder of all workspaces of one repository.
 *
 * ```text
 * <root>/<repository>-<hash>/
 *   <task>-<random>/           one try
 *     workspace.json           the marker
 *     <repository>/            the folder in which the agent works
 *   .scratch/s-<process>-…/    indexes, packs, tries without their marker
 *   .trash/s-<process>-…/      removed workspaces, until they are deleted
 * ```
 *
 * @module
 */
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { basename, join, relative, sep, isAbsolute } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { makeFolder } from '../../actors/command/process-groups.ts';
import { identify, isAlive } from '../../actors/command/process-life.ts';
import type { ProcessIdentity } from '../../model/values/process-identity.ts';
import { sha256Hex } from '../../model/values/sha256.ts';
import type { Repository } from '../git/repository.ts';
import { removeTree } from './remove-tree.ts';
import { unusable } from '../git/unusable.ts';

/** The folder of a repository's workspaces. */
export interface Home {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly trash: string;
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Name of the folder in which an agent works. */
  readonly name: string;
}

/** Returns the home of a repository, and creates it. @throws PhasegateError `REPOSITORY_UNUSABLE` if it is in the repository. */
export async function openHome(repository: Repository, root: string): Promise<Home> {
  const name =
    basename(repository.folder)
      .replaceAll(/[^\w.-]+/gu, '-')
      .slice(0, 40) || 'repository';
  const given = join(root, `${name}-${sha256Hex([repository.commonDir]).slice(0, 12)}`);
  if (isWithin(repository.folder, root) || isWithin(repository.commonDir, root)) throw inside(root);
  makeFolder(given);
  const path = await realpath(given);
  if (isWithin(repository.folder, path) || isWithin(repository.commonDir, path)) throw inside(root);
  const [trash, scratch] = [join(path, '.trash'), join(path, '.scratch')];
  for (const one of [trash, scratch]) await mkdir(one, { recursive: true, mode: 0o700 });
  return { path, trash, scratch, name };
}

/** Calls a function with a new empty folder, and removes the folder afterwards. */
export async function withScratch<T>(home: Home, call: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(home.scratch, ownName()));
  try {
    return await call(folder);
  } finally {
    await removeTree(folder).catch(() => undefined);
  }
}

/** Start of the names of folders in `.scratch` and `.trash` that are of this process. */
export function ownName(): string {
  return nameFor(identify(process.pid));
}

/** True if a folder in `.scratch` or `.trash` is of a process that has ended. */
export function isAbandoned(name: string): boolean {
  const [, pid = '', start = ''] = OWN_NAME.exec(name) ?? [];
  if (pid === '') return false;
  const owner = { ...identify(process.pid), pid: Number(pid), start };
  return name.startsWith(nameFor(owner)) && !isAlive(owner);
}

/** True if a path is a folder or in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

// --- internal ---

/** The number and the start of a process; a hash of its machine follows. */
const OWN_NAME = /^s-(\d{1,10})-(\d{0,20})-/u;

function nameFor({ pid, start, host, namespace }: ProcessIdentity): string {
  return `s-${pid}-${start}-${sha256Hex([host, namespace]).slice(0, 12)}-`;
}

function inside(root: string): PhasegateError {
  return unusable(
    `Cannot make workspaces as ${root} is in the repository`,
    'Set `root`, or XDG_STATE_HOME, to a folder outside of it.',
  );
}
