/**
 * The files of a workspace as a tree in the user's repository.
 *
 * Git lists what differs from the base and what is neither tracked nor ignored. Paths are then added one by one, not folder by
 * folder, so that repositories which the agent has made inside lose no file.
 *
 * @module
 */
import { join } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { resolveName } from '../git/objects.ts';
import type { Repository, RepositoryCall } from '../git/repository.ts';
import { itemsOf, textOf } from '../git/run-git.ts';
import { addPaths, isSubmodule, listChanges, removePaths, type Change } from './index-changes.ts';
import type { IndexSeed } from './index-seed.ts';
import { createPathKinds, type PathKinds } from './path-kind.ts';

/** Options of {@link takeTree}. */
export interface TakeOptions {
  readonly repository: Repository;
  /** The folder with the files. */
  readonly work: string;
  readonly base: string;
  /** A folder for the index. */
  readonly scratch: string;
  /** Paths with slashes that are taken only if the base has them. */
  readonly include: readonly string[];
  /** Most bytes of new and changed files. */
  readonly maxBytes: number;
  /** Runs the user's content filters. Only for the user's own folder. @default false */
  readonly filters?: boolean | undefined;
  /** The index of the base or of an earlier snapshot that is in the repository. @default every file is read */
  readonly seed?: IndexSeed | undefined;
  /** Folders of objects. @default that of the repository */
  readonly objects?: readonly [string, ...string[]] | undefined;
}

/** Files as a tree. */
export interface TakenTree {
  readonly tree: string;
  /** Folders with a `.git` of their own. Their files are in the tree, their history is not. */
  readonly nested: readonly string[];
  /** Submodules whose commit or files have changed. The tree has the commit of the base. */
  readonly submodules: readonly string[];
  /** Paths that are not in the tree, as git or the system refuses them. */
  readonly left: readonly string[];
}

/** Reads the files of a workspace. @throws PhasegateError `WORKSPACE_REFUSED` if there are too many bytes. */
export async function takeTree(options: TakeOptions): Promise<TakenTree> {
  const { repository, work, base, scratch, objects, filters, seed } = options;
  const index = join(scratch, 'index');
  const call: RepositoryCall = { workTree: work, index, objects, filters };
  const known = await seed?.put(index);
  if (!known) await repository.git(['read-tree', base], call);
  if (known?.state !== 'refreshed') {
    await repository.git(['update-index', '-q', '--refresh'], { ...call, codes: [0, 1] });
    await seed?.take(index, { state: 'refreshed' });
  }
  const state: State = {
    kinds: createPathKinds(work),
    nested: new Set(),
    submodules: new Set(await filledSubmodules(options, call)),
    settled: new Set(),
    refused: new Set(),
    bytes: 0,
  };
  let pending = await listTaken(options, call);
  const earlier = pending.length === 0 ? known?.tree : undefined;
  for (let round = 0; round < MOST_ROUNDS && isNew(pending, state); round++) {
    const isWhole = await apply(pending, options, call, state);
    pending = isWhole ? [] : await listTaken(options, call);
  }
  const left = pending.map(({ path }) => path).filter((path) => !path.endsWith('/') && !state.submodules.has(path));
  const tree = earlier ?? (await repository.text(['write-tree'], call));
  // The next snapshot can begin here if it would say the same, and if its objects stay.
  if (pending.length === 0 && state.nested.size === 0 && !objects)
    await seed?.take(index, { state: 'refreshed', tree });
  return {
    tree,
    nested: shown(state.nested),
    submodules: shown(state.submodules),
    left: shown([...left, ...state.refused]),
  };
}

// --- internal ---

/** Most levels of repositories within repositories. */
const MOST_ROUNDS = 20;

interface State {
  readonly kinds: PathKinds;
  readonly nested: Set<string>;
  readonly submodules: Set<string>;
  /** Paths that were handled, whatever became of them. */
  readonly settled: Set<string>;
  readonly refused: Set<string>;
  bytes: number;
}

function isNew(changes: readonly Change[], { settled }: State): boolean {
  return changes.some(({ path }) => !settled.has(path));
}

/** Lists changes, without included files that the base does not have. */
async function listTaken({ repository, include }: TakeOptions, call: RepositoryCall): Promise<readonly Change[]> {
  const skipped = include.map((path) => Buffer.from(path).toString('latin1'));
  return (await listChanges(repository, call)).filter(
    ({ path, isTracked }) => isTracked || !skipped.some((one) => path === one || path.startsWith(`${one}/`)),
  );
}

/** Puts changes into the index. @returns True if each of them is in it. */
async function apply(
  changes: readonly Change[],
  options: TakeOptions,
  call: RepositoryCall,
  state: State,
): Promise<boolean> {
  const { repository, maxBytes } = options;
  const added: string[] = [];
  const removed: string[] = [];
  const files = changes.flatMap((one) => (one.path.endsWith('/') ? [] : [one]));
  const seeds = await seedsOf(
    changes.filter((one) => one.path.endsWith('/')),
    options,
    state,
  );
  for (const { path, isTracked } of [...files, ...seeds]) {
    if (state.settled.has(path)) continue;
    state.settled.add(path);
    const found = await state.kinds.of(path);
    if (found.kind === 'file') state.bytes += found.size;
    if (found.kind === 'file' || found.kind === 'link') added.push(path);
    else if (found.kind === 'folder' && (await isSubmodule(repository, call, path))) state.submodules.add(path);
    else if (isTracked && found.kind !== 'unreadable') removed.push(path);
  }
  if (state.bytes > maxBytes) throw tooLarge(state.bytes, maxBytes);
  await removePaths(repository, call, removed);
  const isAdded = await addPaths(repository, call, added);
  return isAdded && files.length === changes.length && added.length + removed.length === changes.length;
}

/**
 * Finds one file of each nested repository. Once git has one of its files in the index, it lists the others as those of any folder.
 */
async function seedsOf(folders: readonly Change[], options: TakeOptions, state: State): Promise<readonly Change[]> {
  const seeds: Change[] = [];
  const pending = folders.map(({ path }) => path);
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (state.settled.has(path) || path.split('/').length > MOST_ROUNDS * 10) continue;
    state.settled.add(path);
    // Names that are no UTF-8 cannot be given to git as its working tree.
    if (textOf(path).includes('\uFFFD')) {
      state.refused.add(path);
      continue;
    }
    state.nested.add(path.slice(0, -1));
    const top = path;
    const workTree = join(options.work, textOf(path));
    const list = ['ls-files', '--others', '--exclude-standard', '-z'];
    const { output } = await options.repository.git(list, { workTree });
    const items = itemsOf(output).map((item) => `${top}${item}`);
    const seed = items.find((item) => !item.endsWith('/'));
    if (seed !== undefined) seeds.push({ path: seed, isTracked: false });
    else pending.push(...items);
  }
  return seeds;
}

/** Submodules that have files. Those of a new workspace are empty. */
async function filledSubmodules(options: TakeOptions, call: RepositoryCall): Promise<readonly string[]> {
  const { repository, base, work } = options;
  if ((await resolveName(repository, `${base}:.gitmodules`)) === undefined) return [];
  const { output } = await repository.git(['ls-files', '--stage', '-z'], { ...call, maxBytes: 1024 ** 3 });
  const paths = itemsOf(output).flatMap((item) =>
    item.startsWith('160000 ') ? [item.slice(item.indexOf('\t') + 1)] : [],
  );
  const kinds = createPathKinds(work);
  const filled = await Promise.all(paths.map((path) => kinds.isFilled(path)));
  return paths.filter((_, index) => filled[index]);
}

function shown(paths: Iterable<string>): readonly string[] {
  return [...paths].map(textOf).toSorted();
}

function tooLarge(bytes: number, max: number): PhasegateError {
  return new PhasegateError(
    'WORKSPACE_REFUSED',
    `Cannot keep the work as its new and changed files exceed ${max} bytes: ${bytes} so far`,
    { hint: 'Ignore what need not be kept by .gitignore, or raise `maxChangedBytes`. The folder stays as it is.' },
  );
}
