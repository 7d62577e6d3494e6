/**
 * The start of a run: its base, its branch, and what people and agents should know about both.
 *
 * @module
 */
import { z } from 'zod';
import { writeCommit } from '../git/commit.ts';
import { runRefs } from '../git/names.ts';
import { updateRefs } from '../git/refs.ts';
import { resolveName, type Repository } from '../git/repository.ts';
import { readSealed, writeSeal, type Sealed } from '../git/sealed.ts';
import { openHome, withScratch } from '../marker/home.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Options } from '../options.ts';
import type { RunBase } from '../port.ts';
import { commitUncommitted, type DirtyCommit } from '../snapshot/dirty-commit.ts';
import { notesSchema } from '../snapshot/keep.ts';
import { notesAbout } from '../snapshot/user-state.ts';

/** Takes the base of a run, and creates its branch. A run that has them keeps them. */
export async function startRunBase(repository: Repository, options: Options, run: string): Promise<RunBase> {
  const refs = runRefs(run);
  const earlier = await readSealed(repository, refs.start);
  if (earlier) return baseOf(earlier, refs.branch);
  await refuseBranch(repository, run);
  const head = await resolveName(repository, 'HEAD^{commit}');
  const made = await baseCommit(repository, options, run, head);
  const hasUncommitted = options.base === 'head+dirty';
  const notes = [...(await notesAbout({ repository, head, hasUncommitted })), ...made.notes];
  const sealed: Sealed = { commit: made.commit, facts: { notes } };
  const created = await updateRefs(repository, [
    { ref: refs.start, to: await writeSeal(repository, sealed) },
    { ref: refs.branchRef, to: made.commit },
    { ref: refs.published, to: made.commit },
  ]);
  if (created) return baseOf(sealed, refs.branch);
  // Another process has started the same run in the meantime.
  const others = await readSealed(repository, refs.start);
  if (others) return baseOf(others, refs.branch);
  throw branchTaken(refs.branch);
}

// --- internal ---

const factsSchema = z.object({ notes: notesSchema });

function baseOf({ commit, facts }: Sealed, branch: string): RunBase {
  return { base: commit, branch, notes: factsSchema.parse(facts).notes };
}

async function baseCommit(
  repository: Repository,
  { base, root }: Options,
  run: string,
  head: string | undefined,
): Promise<DirtyCommit> {
  const home = await openHome(repository, root);
  if (base === 'head+dirty') {
    const subject = `phasegate: uncommitted work before run ${runRefs(run).branch.slice('phasegate/'.length)}`;
    return withScratch(home, (scratch) => commitUncommitted({ repository, head, scratch, subject }));
  }
  if (head !== undefined) return { commit: head, notes: [] };
  const tree = await repository.text(['mktree'], { input: '' });
  return {
    commit: await writeCommit(repository, { tree, parents: [], message: 'phasegate: empty start\n' }),
    notes: [],
  };
}

/** Refuses a run if its branch exists without it, or if a branch named `phasegate` is in the way. */
async function refuseBranch(repository: Repository, run: string): Promise<void> {
  const { branch, branchRef } = runRefs(run);
  for (const [name, ref] of [
    ['phasegate', 'refs/heads/phasegate'],
    [branch, branchRef],
  ] as const) {
    if ((await resolveName(repository, ref)) !== undefined) throw branchTaken(name);
  }
}

function branchTaken(branch: string): PhasegateError {
  return new PhasegateError('REPOSITORY_UNUSABLE', `Cannot start the run as there is a branch "${branch}" already`, {
    hint: `Rename it: git branch -m ${branch} <another name>.`,
  });
}
