/**
 * Facts about the user's repository that a run and its agents should know.
 *
 * @module
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { counted, cutList } from '../../model/values/counts.ts';
import { resolveName } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { itemsOf, textOf } from '../git/run-git.ts';
import type { Note, NoteCode } from '../note.ts';

/** Options of {@link notesAbout}. */
export interface StateOptions {
  readonly repository: Repository;
  /** The commit at HEAD; `undefined` before the first one. */
  readonly head: string | undefined;
  /** True if the base has the user's uncommitted work. */
  readonly hasUncommitted: boolean;
}

/** Describes the state of the user's repository. Changes nothing. */
export async function notesAbout(options: StateOptions): Promise<readonly Note[]> {
  const { repository, head } = options;
  const found = await Promise.all([
    differences(options),
    detached(repository, head),
    inProgress(repository),
    submodules(repository, head),
    filtered(repository, head),
    settings(repository),
  ]);
  return [
    ...when(head === undefined, 'unborn', 'The repository has no commit yet, so the run starts with an empty one.'),
    ...when(
      repository.isShallow,
      'shallow',
      'The repository is shallow, so earlier history is missing. The user can fetch it: git fetch --unshallow.',
    ),
    ...found.flat(),
  ];
}

/** The note that repositories inside of the user's folder are not part of the run. */
export function nestedLeftOut(nested: readonly string[]): readonly Note[] {
  const text = `Repositories inside of the user's folder are left out: ${cutList(nested, MOST_NAMES).join(', ')}.`;
  return when(nested.length > 0, 'nestedLeftOut', text);
}

// --- internal ---

/** Most names in a note. */
const MOST_NAMES = 20;

/** Describes uncommitted work, and repositories that are neither tracked nor ignored. Both come from one walk of the folder. */
async function differences({ repository, hasUncommitted }: StateOptions): Promise<readonly Note[]> {
  const { folder, gitDir } = repository;
  const status = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'];
  const { output } = await repository.git(status, { workTree: folder, index: join(gitDir, 'index'), filters: true });
  const lines = itemsOf(output);
  const untracked = lines.filter((line) => line.startsWith(UNTRACKED));
  // Of a repository inside, git lists the folder only. If the base has the uncommitted work, they are found with it.
  const inner = hasUncommitted ? [] : untracked.filter((line) => line.endsWith('/'));
  return [
    ...uncommitted(lines.length - untracked.length, untracked.length, hasUncommitted),
    ...nestedLeftOut(inner.map((line) => textOf(line.slice(UNTRACKED.length)))),
  ];
}

/** Start of the line of a path that is not tracked. */
const UNTRACKED = '?? ';

function uncommitted(changed: number, untracked: number, hasUncommitted: boolean): readonly Note[] {
  const numbers = `${counted(changed, 'changed file')} and ${counted(untracked, 'untracked path')}`;
  const text = hasUncommitted
    ? `The run starts with the user's uncommitted work: ${numbers}.`
    : `The user's uncommitted work is not part of the run: ${numbers}. Nobody may assume that it is there.`;
  return when(changed + untracked > 0, 'uncommitted', text);
}

async function detached(repository: Repository, head: string | undefined): Promise<readonly Note[]> {
  const { code } = await repository.git(['symbolic-ref', '--quiet', 'HEAD'], { codes: [0, 1] });
  return when(code === 1 && head !== undefined, 'detached', "The user's HEAD is on no branch.");
}

/** Files and folders of the git directory, and the operation that is going on while they exist. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisection',
};

async function inProgress(repository: Repository): Promise<readonly Note[]> {
  const operation = await operationIn(repository);
  if (operation === undefined) return [];
  return [{ code: 'inProgress', text: `A ${operation} is in progress in the user's folder.` }];
}

/** Returns the operation that is going on in the user's folder, such as `merge`. */
export async function operationIn({ gitDir }: Repository): Promise<string | undefined> {
  for (const [name, operation] of Object.entries(OPERATIONS)) if (await exists(join(gitDir, name))) return operation;
  return undefined;
}

async function submodules(repository: Repository, head: string | undefined): Promise<readonly Note[]> {
  const has = head !== undefined && (await resolveName(repository, `${head}:.gitmodules`)) !== undefined;
  return when(
    has,
    'submodules',
    'The repository has submodules. They are empty in workspaces, and changes in them are not kept.',
  );
}

async function filtered(repository: Repository, head: string | undefined): Promise<readonly Note[]> {
  const has = head !== undefined && (await hasFilters(repository, head));
  return when(
    has,
    'lfs',
    'The repository has files with content filters, such as Git LFS. Filters do not run in workspaces: these files are there as git stores them, and what agents write to them is committed as it is.',
  );
}

/** True if attributes in any folder of a commit name a content filter. */
async function hasFilters(repository: Repository, head: string): Promise<boolean> {
  const search = ['--no-literal-pathspecs', 'grep', '--quiet', '--fixed-strings', '-e', 'filter=', head];
  const { code } = await repository.git([...search, '--', ':(glob)**/.gitattributes'], { codes: [0, 1] });
  return code === 0;
}

async function settings(repository: Repository): Promise<readonly Note[]> {
  const keys = '^core[.](sparsecheckout|ignorecase)$';
  const { output } = await repository.git(['config', '--show-scope', '-z', '--get-regexp', keys], { codes: [0, 1] });
  const items = itemsOf(output).map((item) => textOf(item).toLowerCase());
  // The settings that git is called with turn sparse checkouts off.
  const set = new Map(items.flatMap((item, at) => (at % 2 === 1 && items[at - 1] !== 'command' ? [pair(item)] : [])));
  return [
    ...when(
      set.get('core.sparsecheckout') === 'true',
      'sparse',
      'The checkout of the user is sparse. Workspaces have all files.',
    ),
    ...when(
      set.get('core.ignorecase') === 'true',
      'caseInsensitive',
      'The file system of the user ignores the case of names.',
    ),
  ];
}

function pair(item: string): readonly [string, string] {
  const end = item.indexOf('\n');
  return end === -1 ? [item, 'true'] : [item.slice(0, end), item.slice(end + 1)];
}

function when(condition: boolean, code: NoteCode, text: string): readonly Note[] {
  return condition ? [{ code, text }] : [];
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
