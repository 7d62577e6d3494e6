/**
 * The hand-over of a run: its branch becomes part of the user's branch, if that is safe.
 *
 * @module
 */
import { join } from 'node:path';
import { runRefs } from '../git/names.ts';
import { requireCommit, resolveName, resolveNames } from '../git/objects.ts';
import { repositoryOpener, type Repository } from '../git/repository.ts';
import { setRef, deleteRef } from '../git/refs.ts';
import { readSealed, type Sealed } from '../git/sealed.ts';
import { openHome, withScratch } from '../marker/home.ts';
import { readOptions } from '../options.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { operationIn } from '../snapshot/user-state.ts';
import { endOf, obstacleTo, type Obstacle } from './apply-obstacles.ts';
import { undoHalfMove, type Move } from './half-move.ts';

/** Options of {@link applyRun}. */
export interface ApplyOptions {
  /** A folder of the repository. @default that of the process */
  readonly repository?: string | undefined;
  readonly run: string;
  /** Commit with a part of the work of the run, which is taken instead. @default that of its branch */
  readonly commit?: string | undefined;
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
      /** Command that a person may run instead, after a look. Absent if git would refuse it before {@link paths} are out of the way. */
      readonly command?: string;
      /** Files that would be overwritten, relative to the top of the repository: at most 100. @default none */
      readonly paths?: readonly string[];
    };

/**
 * Moves the user's branch and files forward to the branch of a run, or to a commit with a part of its work. It does so only if the user's
 * branch has not moved since and no uncommitted, untracked or ignored file is in the way. Otherwise nothing is changed, and the result says
 * what to do.
 *
 * Once git moves the files, it goes on after an abort, and after the end of this process. If git itself is stopped, the next call puts
 * back what was moved, and begins again.
 *
 * @throws PhasegateError `WORKSPACE_REFUSED` if the run has no branch, or the repository has no such commit.
 */
export async function applyRun({ repository: folder, run, commit, root, signal }: ApplyOptions): Promise<Applied> {
  const options = readOptions({ repository: folder, root });
  const { author, timeout } = options;
  const repository = await repositoryOpener({ folder: options.repository, author, timeout })(signal);
  const { branch, branchRef, published, start, applying } = runRefs(run);
  const [found, last, from, begun] = await resolveNames(repository, [branchRef, published, 'HEAD^{commit}', applying]);
  const base = await readSealed(repository, start);
  // Someone may have deleted the branch. Its commit is kept.
  const whole = found ?? last;
  if (whole === undefined) throw unknown(branch);
  const to = commit === undefined ? whole : await requireCommit(repository, commit);
  const name = found === to ? branch : to;
  const refused = async (obstacle: Obstacle): Promise<Applied> => {
    const command = await commandFor(repository, { base, from, name, hasPaths: obstacle.paths !== undefined });
    return { applied: false, ...obstacle, ...(command !== undefined && { command }) };
  };
  if (from === undefined) return refused({ reason: 'The branch has no commit yet.' });
  const home = await openHome(repository, options.root);
  const obstacle = await withScratch(home, async (scratch) => {
    const move = { from, to, scratch };
    // A move from another commit is over.
    if (begun === from) await undoHalfMove(repository, move);
    return (await obstacleTo(repository, move)) ?? (await forward(repository, move, applying));
  });
  return obstacle ? refused(obstacle) : { applied: true, from, to };
}

/** Refuses a run that was not started in a repository. @throws PhasegateError `WORKSPACE_REFUSED` */
export async function refuseUnknownRun({ repository: folder, run, signal }: ApplyOptions): Promise<void> {
  const { repository: found, author, timeout } = readOptions({ repository: folder });
  const { branch, branchRef, published } = runRefs(run);
  const repository = await repositoryOpener({ folder: found, author, timeout })(signal);
  const names = await resolveNames(repository, [branchRef, published]);
  if (names.every((name) => name === undefined)) throw unknown(branch);
}

// --- internal ---

/** Moves the branch and the files. @param note Name of the ref that is there while they are moved. @returns Nothing if all is moved. */
async function forward(repository: Repository, move: Move, note: string): Promise<Obstacle | undefined> {
  const { gitDir, folder } = repository;
  const { from, to, scratch } = move;
  // An abort would leave files of both.
  const whole = repository.withSignal(new AbortController().signal);
  if (from !== to) {
    await setRef(repository, note, from);
    const merge = ['merge', '--ff-only', '--no-overwrite-ignore', '--no-autostash', '--no-edit', '--quiet', to];
    const log = join(scratch, 'said');
    try {
      await whole.git(merge, { workTree: folder, index: join(gitDir, 'index'), filters: true, log });
    } catch (error) {
      if (!(error instanceof Error) || (await resolveName(whole, 'HEAD')) !== from) throw error;
      await undoHalfMove(whole, move);
      await deleteRef(whole, note);
      const said = error.message.split('\n').slice(1, 12).join('\n');
      return { reason: `Git refuses to move the files: ${said === '' ? error.message : said}` };
    }
  }
  await deleteRef(whole, note);
  return undefined;
}

/** Returns the command that takes the work into the user's files; `undefined` if git would refuse it. */
async function commandFor(repository: Repository, { base, from, name, hasPaths }: Wanted): Promise<string | undefined> {
  const isDirty = base !== undefined && from !== undefined && (await isOnTopOf(repository, base.commit, from));
  if (hasPaths && !isDirty) return undefined;
  // With uncommitted work as the base, a merge would bring that back as a commit.
  const take = isDirty ? `git diff --binary ${base.commit} ${name} | git apply` : `git merge ${name}`;
  // Git refuses to take anything before that.
  const operation = await operationIn(repository);
  return operation === undefined ? take : `${endOf(operation)} && ${take}`;
}

interface Wanted {
  readonly base: Sealed | undefined;
  readonly from: string | undefined;
  /** The branch of the run, or its commit. */
  readonly name: string;
  /** True if files are in the way. */
  readonly hasPaths: boolean;
}

/** True if a commit was made of the user's uncommitted work. */
async function isOnTopOf(repository: Repository, base: string, head: string): Promise<boolean> {
  const subject = await repository.text(['show', '--no-patch', '--format=%s', base]);
  return base !== head && subject.startsWith('phasegate: uncommitted work');
}

function unknown(branch: string): PhasegateError {
  return new PhasegateError('WORKSPACE_REFUSED', `Cannot hand over the run as there is no branch "${branch}"`, {
    hint: 'Give the id of a run that was started in this repository.',
  });
}
