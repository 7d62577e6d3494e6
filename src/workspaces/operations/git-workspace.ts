/**
 * Workspaces of a git repository.
 *
 * @module
 */
import { compareCommits } from './difference.ts';
import { repositoryOpener, type Repository } from '../git/repository.ts';
import { integrateParts } from './integrate.ts';
import { openHome, withScratch, type Home } from '../marker/home.ts';
import { openTry, prepareLater } from './open.ts';
import { readOptions, type GitWorkspaceOptions } from '../options.ts';
import type { Workspaces } from '../port.ts';
import { publishRun } from './publish.ts';
import { createFilesAhead } from '../place/files-ahead.ts';
import { startRunBase } from './run-base.ts';
import { readKept, rememberWork } from '../snapshot/keep.ts';
import { listTries, pruneTries } from './survey.ts';
import { createWorkspace } from './workspace.ts';

/**
 * Makes workspaces of a git repository. Needs git 2.38 or later.
 *
 * The user's branch, HEAD, index, stash and files are never changed, except with `isolation: 'inPlace'`, which works in the user's
 * files. All results are commits below `refs/phasegate/`, and on a branch `phasegate/<run>`.
 *
 * @throws PhasegateError `DEFINITION_INVALID` for invalid options.
 *
 * @example
 * ```ts
 * const workspaces = gitWorkspace({ include: ['.env.local'], setup: ['npm', 'ci'] });
 * const { base } = await workspaces.start({ run, signal });
 * const workspace = await workspaces.open(place, { base, signal });
 * ```
 */
export function gitWorkspace(given: GitWorkspaceOptions = {}): Workspaces {
  const options = readOptions(given);
  const { repository: folder, author, timeout } = options;

  const repositoryFor = repositoryOpener({ folder, author, timeout });
  const filesAhead = createFilesAhead(repositoryFor);

  async function both(signal: AbortSignal): Promise<{ readonly repository: Repository; readonly home: Home }> {
    const repository = await repositoryFor(signal);
    return { repository, home: await openHome(repository, options.root) };
  }

  return {
    name: `git ${options.isolation}`,
    isShared: options.isolation === 'inPlace',
    maxCount: options.maxCount,
    async start({ run, ahead, signal }) {
      const { repository, home } = await both(signal);
      const onBase = (commit: string) => prepareLater({ home, options, filesAhead, ahead }, commit);
      return startRunBase(repository, { home, options, run, onBase });
    },
    async kept(place, signal) {
      return readKept(await repositoryFor(signal), place);
    },
    async remember(place, commit, signal) {
      await rememberWork(await repositoryFor(signal), place, commit);
    },
    async open(place, { signal, ...more }) {
      const { repository, home } = await both(signal);
      const makeRoom = () => pruneTries({ repository, home, options });
      const opened = await openTry({ repository, home, options, place, ...more, filesAhead, makeRoom });
      return createWorkspace({ opened, home, options, repositoryFor });
    },
    async integrate({ signal, ...more }) {
      const { repository, home } = await both(signal);
      return withScratch(home, (scratch) => integrateParts(repository, scratch, more));
    },
    async diff({ signal, ...more }) {
      return compareCommits(await repositoryFor(signal), more);
    },
    async publish({ run, commit, signal }) {
      return publishRun(await repositoryFor(signal), run, commit);
    },
    async list(signal) {
      return listTries({ ...(await both(signal)), options });
    },
    async prune({ signal, rescue }) {
      return pruneTries({ ...(await both(signal)), options }, { rescue });
    },
  };
}
