/**
 * New workspaces.
 *
 * @module
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { exclusively } from '../git/mutex.ts';
import { requireCommit, resolveName } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { withScratch, type Home } from '../marker/home.ts';
import { createTry, isInUse, readTries, writeMarker, type Try } from '../marker/marker.ts';
import { isAlive } from '../../actors/command/process-life.ts';
import { COOKIE, endProcesses } from '../marker/processes.ts';
import { sizeOf } from '../marker/size.ts';
import { spreadFolders } from '../marker/spread.ts';
import { clearAbandoned, discardTry } from '../marker/trash.ts';
import type { Options } from '../options.ts';
import { makeClone } from '../place/clone.ts';
import type { FilesAhead } from '../place/files-ahead.ts';
import { copyIncluded } from '../place/include.ts';
import { addWorkTree, forgetWorkTree } from '../place/linked.ts';
import { choosePorts, type Ports } from '../place/ports.ts';
import { runScript } from '../place/script.ts';
import type { Note } from '../note.ts';
import type { AttemptPlace, OpenWorkspaceOptions } from '../port.ts';
import { createIndexSeed, type IndexSeed } from '../snapshot/index-seed.ts';
import { refreshSeed } from '../snapshot/refresh-seed.ts';
import { restoreFolder } from '../snapshot/restore.ts';
import { takeTree } from '../snapshot/take-tree.ts';

/** A workspace that is ready. */
export interface Opened extends Try {
  /** The folder in which the agent works. */
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly Note[];
  /** Id of the tree or commit with the files at the start, after the setup. */
  readonly tree: string;
  /** The index of the files before the agent. */
  readonly seed: IndexSeed;
}

/** Options of {@link openTry}. */
export interface OpenOptions extends Omit<OpenWorkspaceOptions, 'signal'> {
  readonly repository: Repository;
  readonly home: Home;
  readonly options: Options;
  readonly place: AttemptPlace;
  /** Files for later workspaces. */
  readonly filesAhead: FilesAhead;
  /** Removes workspaces whose content is kept, to make room. */
  readonly makeRoom: () => Promise<unknown>;
}

/** Creates the folder of a try and fills it. If that fails, the folder is removed. */
export async function openTry(given: OpenOptions): Promise<Opened> {
  const { repository, home, options, place } = given;
  const base = await requireCommit(repository, given.base);
  const files = given.files === undefined ? base : await requireCommit(repository, given.files);
  await clearAbandoned(home);
  await clearEarlier(repository, home, place);
  // Tries are made there, before they get their place.
  await spreadFolders(home.scratch);
  const { folder, marker } = await exclusively(home.path, async () => {
    await requireRoom(given);
    const taken = (await readTries(home)).map((one) => one.marker.ports);
    const ports = await choosePorts(options.ports, taken, place.key);
    const { isolation } = options;
    const others = { ...(files !== base && { files }), ...(given.disposable === true && { disposable: true }) };
    return createTry(home, { place, base, isolation, ports, ...others });
  });
  const work = workOf(repository, home, { folder, marker });
  const env = environmentOf(work, base, marker.ports);
  const seed = createIndexSeed();
  try {
    const { notes, tree } = await fill(given, { work, env, base, files, seed });
    const ready = { ...marker, state: 'ready' } as const;
    await writeMarker(folder, ready);
    if (given.disposable !== true) refreshSeed({ repository, home, work, seed });
    prepareLater(given, files);
    return { folder, marker: ready, work, env, notes, tree, seed };
  } catch (error) {
    const { signal } = new AbortController();
    await removeTry(repository.withSignal(signal), home, { folder, marker }).catch(() => undefined);
    throw error;
  }
}

/** Returns the folder in which the agent of a try works. It does not depend on what the marker says of paths. */
export function workOf(repository: Repository, home: Home, { folder, marker }: Try): string {
  return marker.isolation === 'inPlace' ? repository.folder : join(folder, home.name);
}

/** Removes the folder of a try, and with `worktree` what the repository knows of it. */
export async function removeTry(repository: Repository, home: Home, one: Try): Promise<void> {
  await discardTry(home, one.folder);
  if (one.marker.isolation === 'worktree') await forgetWorkTree(repository, workOf(repository, home, one));
}

/** Has files made for workspaces that follow. A limit of bytes is for those that are in use. */
export function prepareLater(
  { home, options, filesAhead, ahead = 0 }: Pick<OpenOptions, 'home' | 'options' | 'filesAhead' | 'ahead'>,
  commit: string,
): void {
  if (options.isolation !== 'clone' || options.maxBytes > 0) return;
  filesAhead.prepare({ home, commit, count: Math.min(ahead, options.maxCount) });
}

// --- internal ---

/** Stops what earlier tries of the attempt have left running, and removes folders that nobody will complete. */
async function clearEarlier(repository: Repository, home: Home, place: AttemptPlace): Promise<void> {
  for (const one of await readTries(home)) {
    const { marker } = one;
    const isSame = marker.place.run === place.run && marker.place.key === place.key;
    const isAbandoned = !isAlive(marker.owner);
    if (isSame && (isAbandoned || marker.owner.pid === process.pid || marker.state === 'closed')) {
      await endProcesses(workOf(repository, home, one), marker.groups);
    }
    // No agent has been in it.
    if (marker.state === 'making' && isAbandoned) await removeTry(repository, home, one);
  }
}

async function requireRoom({ repository, home, options, makeRoom }: OpenOptions): Promise<void> {
  const problem = async () => {
    const tries = await readTries(home);
    if (options.isolation === 'inPlace' && tries.some((one) => one.marker.isolation === 'inPlace' && isInUse(one))) {
      return 'another task works in the same folder';
    }
    if (tries.length >= options.maxCount)
      return `there are ${tries.length} already, and at most ${options.maxCount} may be`;
    if (options.maxBytes === 0) return undefined;
    const bytes = await sizeOf(home.path);
    return bytes > options.maxBytes
      ? `they take ${bytes} bytes, and at most ${options.maxBytes} may be taken`
      : undefined;
  };
  if ((await problem()) === undefined) return;
  await makeRoom();
  const found = await problem();
  if (found === undefined) return;
  throw new PhasegateError('WORKSPACE_REFUSED', `Cannot open a workspace of ${repository.folder} as ${found}`, {
    hint: `Wait for others to end, or remove those that are left: phasegate workspaces --prune --rescue. They are below ${home.path}.`,
  });
}

function environmentOf(work: string, base: string, ports: Ports): Readonly<Record<string, string>> {
  return {
    [COOKIE]: work,
    PHASEGATE_BASE: base,
    // Without a `.git` of its own, a workspace must not become part of a repository above it.
    GIT_CEILING_DIRECTORIES: join(work, '..'),
    ...(ports.count > 0 && { PHASEGATE_PORT: String(ports.first), PHASEGATE_PORTS: String(ports.count) }),
  };
}

interface Filling {
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  readonly base: string;
  readonly files: string;
  readonly seed: IndexSeed;
}

async function fill(
  given: OpenOptions,
  { work, env, base, files, seed }: Filling,
): Promise<Pick<Opened, 'notes' | 'tree'>> {
  const { repository, home, options, place } = given;
  const notes: Note[] = [];
  let index: string | undefined;
  switch (options.isolation) {
    case 'clone':
      await mkdir(work);
      index = await given.filesAhead.use(repository, (ready) => makeClone(repository, work, files, ready));
      break;
    case 'worktree':
      index = await addWorkTree(repository, work, files);
      break;
    case 'inPlace':
      notes.push(...(await withScratch(home, (scratch) => restoreFolder({ repository, place, base: files, scratch }))));
      break;
  }
  // A snapshot begins with the files of the base.
  if (index !== undefined && files === base) await seed.take(index, { state: 'new' });
  if (options.isolation !== 'inPlace') notes.push(...(await copyIncluded(repository.folder, work, options.include)));
  if (options.setup === undefined) return { notes, tree: files };
  const { setup: line, timeout } = options;
  await runScript({ line, name: 'setup', folder: work, env, timeout, signal: repository.signal });
  const tree = await treeAfterSetup(given, { work, base, seed });
  const before = await resolveName(repository, `${files}^{tree}`);
  return { notes: tree === before ? notes : [...notes, SETUP_CHANGED], tree };
}

/** The note that the setup has changed files which a snapshot has. */
const SETUP_CHANGED: Note = {
  code: 'setupChanged',
  text: 'The setup has changed files that are not ignored. They count as changes of the agent.',
};

async function treeAfterSetup(
  { repository, home, options }: OpenOptions,
  { work, base, seed }: Pick<Filling, 'work' | 'base' | 'seed'>,
): Promise<string> {
  const { include, maxChangedBytes: maxBytes } = options;
  const { tree } = await withScratch(home, (scratch) =>
    takeTree({ repository, work, base, scratch, include, maxBytes, seed }),
  );
  return tree;
}
