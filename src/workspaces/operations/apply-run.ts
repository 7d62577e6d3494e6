/**
 * The hand-over of a run: its branch becomes part of the user's branch, if that is safe.
 *
 * @module
 */
import { copyFile, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { runRefs } from '../git/names.ts';
import { resolveName, resolveNames } from '../git/objects.ts';
import { repositoryOpener, type Repository } from '../git/repository.ts';
import { itemsOf } from '../git/run-git.ts';
import { readSealed } from '../git/sealed.ts';
import { openHome, withScratch } from '../marker/home.ts';
import { readOptions } from '../options.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { createPathKinds } from '../snapshot/path-kind.ts';
import { operationIn } from '../snapshot/user-state.ts';

/** Options of {@link applyRun}. */
export interface ApplyOptions {
  /** A folder of the repository. @default that of the process */
  readonly repository?: string | undefined;
  readonly run: string;
  /** Folder for temporary files, as of `gitWorkspace`. @default a state folder of the user */
  readonly root?: string | undefined;
  readonly signal: AbortSignal;
}

/** Result of {@link applyRun}. */
export type Applied =
  | {
      readonly applied: true;
      /** The commit of the user's branch before. */
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly applied: false;
      /** Reason, as a sentence. */
      readonly reason: string;
      /** Command that a person may run instead, after a look. */
      readonly command: string;
    };

/**
 * Moves the user's branch and files forward to the branch of a run. It does so only if the user's branch has not moved since and
 * no uncommitted, untracked or ignored file is in the way. Otherwise nothing is changed, and the result says what to do.
 *
 * @throws PhasegateError `WORKSPACE_REFUSED` if the run has no branch.
 */
export async function applyRun({ repository: folder, run, root, signal }: ApplyOptions): Promise<Applied> {
  const options = readOptions({ repository: folder, root });
  const { author, timeout } = options;
  const repository = await repositoryOpener({ folder: options.repository, author, timeout })(signal);
  const { branch, branchRef, published, start } = runRefs(run);
  const [found, last, from] = await resolveNames(repository, [branchRef, published, 'HEAD^{commit}']);
  const base = await readSealed(repository, start);
  // Someone may have deleted the branch. Its commit is kept.
  const to = found ?? last;
  if (to === undefined) throw unknown(branch);
  const name = found === undefined ? to : branch;
  const home = await openHome(repository, options.root);
  const reason = await withScratch(home, (scratch) => obstacleTo(repository, { from, to, scratch }));
  const problem = reason ?? (from === undefined || from === to ? undefined : await forward(repository, from, to));
  if (problem !== undefined || from === undefined) {
    const isDirty = base !== undefined && from !== undefined && (await isOnTopOf(repository, base.commit, from));
    // With uncommitted work as the base, a merge would bring that back as a commit.
    const take = isDirty ? `git diff --binary ${base.commit} ${name} | git apply` : `git merge ${name}`;
    // Git refuses to take anything before that.
    const operation = await operationIn(repository);
    const command = operation === undefined ? take : `${endOf(operation)} && ${take}`;
    return { applied: false, reason: problem ?? NO_COMMIT, command };
  }
  return { applied: true, from, to };
}

// --- internal ---

const NO_COMMIT = 'The branch of the user has no commit yet.';

interface Ends {
  readonly from: string | undefined;
  readonly to: string;
  readonly scratch: string;
}

/** Returns the reason why the user's branch cannot be moved forward, as a sentence. Changes nothing. */
async function obstacleTo(repository: Repository, { from, to, scratch }: Ends): Promise<string | undefined> {
  if (from === undefined) return NO_COMMIT;
  if (from === to) return undefined;
  const head = await repository.git(['symbolic-ref', '--quiet', 'HEAD'], { codes: [0, 1] });
  if (head.code !== 0) return "The user's HEAD is on no branch.";
  const operation = await operationIn(repository);
  if (operation !== undefined) return `A ${operation} is in progress. End it first: ${waysToEnd(operation)}.`;
  if (await exists(join(repository.gitDir, 'index.lock'))) return 'Another git process is at work, or has left a lock.';
  const isAhead = await repository.git(['merge-base', '--is-ancestor', from, to], { codes: [0, 1] });
  if (isAhead.code !== 0) return "The user's branch has commits that the run does not have.";
  const index = join(scratch, 'index');
  await copyFile(join(repository.gitDir, 'index'), index);
  const call = { workTree: repository.folder, index, filters: true };
  await repository.git(['update-index', '-q', '--refresh'], { ...call, codes: [0, 1] });
  const trial = await repository.git(['read-tree', '-m', '-u', '--dry-run', from, to], { ...call, codes: [0, 1, 128] });
  if (trial.code === 0 && !(await coversFile(repository, from, to))) return undefined;
  return 'Files that the user has changed, or that git does not track, would be overwritten.';
}

/** Returns the command that ends an operation of git, and keeps its result. */
function endOf(operation: string): string {
  return operation === 'bisection' ? 'git bisect reset' : `git ${operation} --continue`;
}

function waysToEnd(operation: string): string {
  return operation === 'bisection' ? endOf(operation) : `${endOf(operation)}, or git ${operation} --abort`;
}

/** True if a new file has the name of one that exists. Git would overwrite it if it is ignored. */
async function coversFile(repository: Repository, from: string, to: string): Promise<boolean> {
  const list = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to];
  const { output } = await repository.git(list);
  const kinds = createPathKinds(repository.folder);
  for (const path of itemsOf(output)) {
    const { kind } = await kinds.of(path);
    if (kind !== 'gone' && kind !== 'folder') return true;
  }
  return false;
}

/** True if a commit was made of the user's uncommitted work. */
async function isOnTopOf(repository: Repository, base: string, head: string): Promise<boolean> {
  const subject = await repository.text(['show', '--no-patch', '--format=%s', base]);
  return base !== head && subject.startsWith('phasegate: uncommitted work');
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Moves the branch and the files. @returns The reason if git refuses to, and nothing was moved. */
async function forward(repository: Repository, from: string, to: string): Promise<string | undefined> {
  const { gitDir, folder } = repository;
  const merge = ['merge', '--ff-only', '--no-overwrite-ignore', '--no-autostash', '--no-edit', '--quiet', to];
  try {
    await repository.git(merge, { workTree: folder, index: join(gitDir, 'index'), filters: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || (await resolveName(repository, 'HEAD')) !== from) throw error;
    return `Git refuses to move the files: ${error.message.split('\n')[1] ?? error.message}`;
  }
}

function unknown(branch: string): PhasegateError {
  return new PhasegateError('WORKSPACE_REFUSED', `Cannot hand over the run as there is no branch "${branch}"`, {
    hint: 'Give the id of a run that was started in this repository.',
  });
}
