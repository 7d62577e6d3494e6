/**
 * The start of a run: its base, its branch, and what people and agents should know about both.
 *
 * @module
 */
import { z } from 'zod';
import { writeCommit } from '../git/commit.ts';
import { runRefs } from '../git/names.ts';
import { updateRefs } from '../git/refs.ts';
import { resolveName, resolveNames } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { readSealed, writeSeal, type Sealed } from '../git/sealed.ts';
import { withScratch, type Home } from '../marker/home.ts';
import type { Options } from '../options.ts';
import type { RunBase } from '../port.ts';
import { commitUncommitted, type DirtyCommit } from '../snapshot/dirty-commit.ts';
import { notesSchema } from '../snapshot/keep.ts';
import { notesAbout } from '../snapshot/user-state.ts';
import { unusable } from '../git/unusable.ts';

/** Options of {@link startRunBase}. */
export interface StartOptions {
  readonly home: Home;
  readonly options: Options;
  /** Id of the run. */
  readonly run: string;
  /** Takes the base of a new run, before its branch is there. @default none */
  readonly onBase?: ((commit: string) => void) | undefined;
}

/** Takes the base of a run, and creates its branch. A run that has them keeps them. */
export async function startRunBase(
  repository: Repository,
  { home, options, run, onBase }: StartOptions,
): Promise<RunBase> {
  const refs = runRefs(run);
  const earlier = await readSealed(repository, refs.start);
  if (earlier) return baseOf(earlier, refs.branch);
  const taken = await takenBranch(repository, run);
  if (taken !== undefined) return baseOfOther(repository, run, taken);
  const head = await resolveName(repository, 'HEAD^{commit}');
  const made = await baseCommit(repository, { home, options, run }, head);
  onBase?.(made.commit);
  const hasUncommitted = options.base === 'head+dirty';
  const notes = [...(await notesAbout({ repository, head, hasUncommitted })), ...made.notes];
  const sealed: Sealed = { commit: made.commit, facts: { notes } };
  const created = await updateRefs(repository, [
    { ref: refs.start, to: await writeSeal(repository, sealed) },
    { ref: refs.branchRef, to: made.commit },
    { ref: refs.published, to: made.commit },
  ]);
  return created ? baseOf(sealed, refs.branch) : baseOfOther(repository, run, refs.branch);
}

// --- internal ---

const factsSchema = z.object({ notes: notesSchema });

function baseOf({ commit, facts }: Sealed, branch: string): RunBase {
  return { base: commit, branch, notes: factsSchema.parse(facts).notes };
}

async function baseCommit(
  repository: Repository,
  { home, options, run }: StartOptions,
  head: string | undefined,
): Promise<DirtyCommit> {
  if (options.base === 'head+dirty') {
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

/** Returns the branch that is in the way of a run: its own, or one named `phasegate`. */
async function takenBranch(repository: Repository, run: string): Promise<string | undefined> {
  const { branch, branchRef } = runRefs(run);
  const [above, own] = await resolveNames(repository, ['refs/heads/phasegate', branchRef]);
  if (above !== undefined) return 'phasegate';
  return own === undefined ? undefined : branch;
}

/** Reads the base of a run that another process has started in the meantime. @param branch The branch that is in the way otherwise. */
async function baseOfOther(repository: Repository, run: string, branch: string): Promise<RunBase> {
  const refs = runRefs(run);
  const others = await readSealed(repository, refs.start);
  if (others) return baseOf(others, refs.branch);
  throw unusable(
    `Cannot start the run as there is a branch "${branch}" already`,
    `Rename it: git branch -m ${branch} <another name>.`,
  );
}
