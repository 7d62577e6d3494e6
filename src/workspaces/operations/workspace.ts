/**
 * A workspace while its agent works, and its end.
 *
 * @module
 */
import { withScratch, type Home } from '../marker/home.ts';
import { writeMarker, type Marker } from '../marker/marker.ts';
import { identify } from '../../actors/command/process-life.ts';
import { endProcesses } from '../marker/processes.ts';
import { removeTry, type Opened } from './open.ts';
import type { Options } from '../options.ts';
import { runScript } from '../place/script.ts';
import type { Closed, Workspace } from '../port.ts';
import type { OpenRepository, Repository } from '../git/repository.ts';
import { changesIn, doubtAbout } from '../snapshot/is-kept.ts';
import { keepWork, keptCommit } from '../snapshot/keep.ts';

/** Options of {@link createWorkspace}. */
export interface WorkspaceOptions {
  readonly opened: Opened;
  readonly home: Home;
  readonly options: Options;
  /** Opens the repository for one operation. */
  readonly repositoryFor: OpenRepository;
}

/** Creates the workspace of a folder that is ready. */
export function createWorkspace({ opened, home, options, repositoryFor }: WorkspaceOptions): Workspace {
  const { folder, work, env, notes, seed } = opened;
  const { place, base, isolation, disposable } = opened.marker;
  let marker: Marker = opened.marker;
  let closed: Promise<Closed> | undefined;

  async function change(part: Partial<Marker>): Promise<void> {
    marker = { ...marker, ...part };
    await writeMarker(folder, marker);
  }

  async function end(): Promise<Closed> {
    await endProcesses(work, marker.groups);
    // Closing goes on after an abort: it is what an aborted task does last.
    const { signal } = new AbortController();
    const repository = await repositoryFor(signal);
    const doubt =
      disposable === true
        ? undefined
        : await withScratch(home, (scratch) => doubtOf(repository, { opened, options, scratch }));
    const problem = await tearDown(signal);
    if (isolation === 'inPlace') {
      await removeTry(repository, home, opened);
      return { removed: false, reason: `It is the user's own folder.${problem}` };
    }
    if (doubt === undefined && problem === '') {
      await removeTry(repository, home, opened);
      return { removed: true };
    }
    const reason = `${doubt ?? ''}${problem}`.trim();
    await change({ state: 'closed', reason });
    return { removed: false, reason };
  }

  /** Ends the workspace. After a failure, the folder is left, and this process no longer counts as its user. */
  async function endOrLeave(): Promise<Closed> {
    try {
      return await end();
    } catch (error) {
      const reason = `It cannot be closed: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`;
      await change({ state: 'closed', reason }).catch(() => undefined);
      return { removed: false, reason };
    }
  }

  async function tearDown(signal: AbortSignal): Promise<string> {
    const { teardown: line, timeout } = options;
    if (line === undefined) return '';
    try {
      await runScript({ line, name: 'teardown', folder: work, env, timeout, signal });
      return '';
    } catch (error) {
      return ` Its teardown failed: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`;
    }
  }

  return {
    path: work,
    env,
    notes,
    entered: (pid) => change({ groups: [...marker.groups, identify(pid)].slice(-MOST_GROUPS) }),
    async changes({ signal }) {
      await endProcesses(work, marker.groups);
      const repository = await repositoryFor(signal);
      return withScratch(home, (scratch) =>
        changesIn({ ...takeOptions(options, work), repository, scratch, base, seed }, opened.tree),
      );
    },
    async keep({ title, signal }) {
      await endProcesses(work, marker.groups);
      const repository = await repositoryFor(signal);
      return withScratch(home, (scratch) =>
        keepWork({ ...takeOptions(options, work), repository, scratch, base, place, title, isolation, seed }),
      );
    },
    close: () => (closed ??= endOrLeave()),
  };
}

/** Options for reading the files of a workspace. */
export function takeOptions({ include, isolation, maxChangedBytes: maxBytes }: Options, work: string) {
  return {
    work,
    maxBytes,
    include: include.map((path) => path.replaceAll('\\', '/')),
    filters: isolation === 'inPlace',
  };
}

/** Returns a reason to leave a folder, as a sentence; `undefined` if nothing is lost with it. */
export async function doubtOf(
  repository: Repository,
  {
    opened,
    options,
    scratch,
  }: {
    readonly opened: Pick<Opened, 'work' | 'marker'> & Partial<Pick<Opened, 'seed'>>;
    readonly options: Options;
    readonly scratch: string;
  },
): Promise<string | undefined> {
  const { work, marker, seed } = opened;
  const { place, base, files = base, isolation } = marker;
  const kept = await keptCommit(repository, place);
  try {
    return await doubtAbout({
      ...takeOptions(options, work),
      repository,
      scratch,
      base,
      isolation,
      seed,
      commits: [...new Set([...(kept === undefined ? [] : [kept]), base, files])],
    });
  } catch (error) {
    return `Its files cannot be compared: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`;
  }
}

// --- internal ---

/** Most process groups of a workspace that are remembered. */
const MOST_GROUPS = 1000;
