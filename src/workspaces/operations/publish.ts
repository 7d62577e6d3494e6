/**
 * The branch of a run, moved to a commit.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { runRefs } from '../git/names.ts';
import { updateRefs } from '../git/refs.ts';
import { requireCommit, resolveNames } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';

/** A branch and the commit that it is at. */
export interface Published {
  readonly branch: string;
  readonly commit: string;
}

/** Moves the branch of a run. @throws PhasegateError `WORKSPACE_REFUSED` if someone else has moved it or has it checked out. */
export async function publishRun(repository: Repository, run: string, to: string): Promise<Published> {
  const { branch, branchRef, published } = runRefs(run);
  const commit = await requireCommit(repository, to);
  const [now, last] = await resolveNames(repository, [branchRef, published]);
  if (last === undefined) throw refused(branch, 'the run has not been started here', 'Call `start` first.');
  if (now === commit && last === commit) return { branch, commit };
  const hint = `Rename that branch, then try again: git branch -m ${branch} <another name>. The commit is ${commit}.`;
  // A branch that someone has deleted is created again.
  if (now !== undefined && now !== last) throw refused(branch, 'someone else has moved it', hint);
  if (await isCheckedOut(repository, branchRef)) {
    throw refused(branch, 'it is checked out', `Check out another branch, then try again. The commit is ${commit}.`);
  }
  const moved = await updateRefs(repository, [
    { ref: branchRef, to: commit, from: now },
    { ref: published, to: commit, from: last },
  ]);
  if (!moved) throw refused(branch, 'someone else has moved it at this moment', hint);
  return { branch, commit };
}

// --- internal ---

async function isCheckedOut(repository: Repository, ref: string): Promise<boolean> {
  const { output } = await repository.git(['worktree', 'list', '--porcelain', '-z']);
  return output.toString('utf8').split('\0').includes(`branch ${ref}`);
}

function refused(branch: string, problem: string, hint: string): PhasegateError {
  return new PhasegateError('WORKSPACE_REFUSED', `Cannot move branch "${branch}" as ${problem}`, { hint });
}
