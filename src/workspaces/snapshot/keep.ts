/**
 * The work of an attempt as a commit on a ref of its own.
 *
 * @module
 */
import { z } from 'zod';
import { cutList } from '../../model/values/counts.ts';
import { changesOf } from '../git/changes.ts';
import { messageOf, writeCommit } from '../git/commit.ts';
import { attemptRef } from '../git/names.ts';
import { updateRefs } from '../git/refs.ts';
import { requireCommit, resolveName } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { readSealed, seal, writeSeal, type Sealed } from '../git/sealed.ts';
import type { Isolation } from '../isolation.ts';
import type { Note, NoteCode } from '../note.ts';
import type { AttemptPlace, Snapshot } from '../port.ts';
import { keepDetached, keepOwnCommits, type OwnCommits, type OwnCommitsOptions } from './own-commits.ts';
import { takeTree, type TakeOptions, type TakenTree } from './take-tree.ts';

/** Options of {@link keepWork}. */
export interface KeepOptions extends Omit<TakeOptions, 'objects'> {
  readonly place: AttemptPlace;
  readonly title: string;
  readonly isolation: Isolation;
}

/** Keeps the files of a workspace. Work of the attempt that is kept already stays, and is returned instead. */
export async function keepWork(options: KeepOptions): Promise<Snapshot> {
  const { repository, place, base, title } = options;
  const earlier = await readKept(repository, place);
  if (earlier) return earlier;
  const taken = await takeTree(options);
  const notes = [...notesOf(taken), ...(await ownCommits(options))];
  const commit = await writeCommit(repository, { tree: taken.tree, parents: [base], message: messageOf(place, title) });
  const sealed = await seal(repository, attemptRef('attempts', place), { commit, facts: { notes } });
  // Another process may have kept the work of the attempt in the meantime.
  if (sealed.commit !== commit) return snapshotOf(repository, sealed);
  return { commit, base, tree: taken.tree, ...(await changesOf(repository, base, commit)), notes };
}

/** Returns the id of the kept work of an attempt; `undefined` if there is none. */
export async function keptCommit(repository: Repository, place: AttemptPlace): Promise<string | undefined> {
  return resolveName(repository, `${attemptRef('attempts', place)}^{commit}`);
}

/** Reads the kept work of an attempt. */
export async function readKept(repository: Repository, place: AttemptPlace): Promise<Snapshot | undefined> {
  const sealed = await readSealed(repository, attemptRef('attempts', place));
  return sealed && snapshotOf(repository, sealed);
}

/** Makes a commit the kept work of a place. */
export async function rememberWork(repository: Repository, place: AttemptPlace, commit: string): Promise<void> {
  const sealed = { commit: await requireCommit(repository, commit), facts: { notes: [] } };
  const ref = attemptRef('attempts', place);
  const [to, from] = await Promise.all([writeSeal(repository, sealed), resolveName(repository, ref)]);
  // If another process has written it in the meantime, its commit stays.
  if (to !== from) await updateRefs(repository, [{ ref, to, from }]);
}

/** Notes as JSON. */
export const notesSchema = z.array(
  z.object({ code: z.custom<NoteCode>((value) => typeof value === 'string'), text: z.string() }),
);

// --- internal ---

const factsSchema = z.object({ notes: notesSchema });

async function snapshotOf(repository: Repository, { commit, facts }: Sealed): Promise<Snapshot> {
  const words = ['rev-list', '--max-count=1', '--no-commit-header', '--format=%T %P', commit];
  const [tree = '', parent = ''] = (await repository.text(words)).split(' ');
  // A commit that is remembered may be the first one of the repository.
  const base = parent === '' ? commit : parent;
  const { notes } = factsSchema.parse(facts);
  return { commit, base, tree, ...(await changesOf(repository, base, commit)), notes };
}

function notesOf({ nested, submodules, left }: TakenTree): readonly Note[] {
  return [
    note('nested', nested, 'Files of repositories inside of the workspace are kept, but not their history'),
    note('submoduleReset', submodules, 'Changes inside of submodules are not kept'),
    note('notTaken', left, 'Paths that git or the system refuses are not kept'),
  ].flat();
}

function note(code: NoteCode, paths: readonly string[], text: string): readonly Note[] {
  return paths.length === 0 ? [] : [{ code, text: `${text}: ${namesIn(paths)}.` }];
}

async function ownCommits(options: KeepOptions): Promise<readonly Note[]> {
  const ref = attemptRef('commits', options.place);
  const { kept, problem } = await keepByIsolation({ ...options, ref });
  const notes: Note[] = [];
  if (kept.length > 0) {
    notes.push({
      code: 'ownCommits',
      text: `Commits of the agent are kept below ${ref}, of its refs: ${namesIn(kept)}.`,
    });
  }
  if (problem !== undefined) {
    notes.push({ code: 'ownCommitsLeft', text: `Commits of the agent, if any, are not kept, as ${problem}.` });
  }
  return notes;
}

async function keepByIsolation(options: KeepOptions & OwnCommitsOptions): Promise<OwnCommits> {
  switch (options.isolation) {
    case 'clone':
      return keepOwnCommits(options);
    case 'worktree':
      return keepDetached(options);
    case 'inPlace':
      // They are on a branch of the user.
      return { kept: [] };
  }
}

/** Most names in a note. */
const MOST_NAMES = 20;

function namesIn(names: readonly string[]): string {
  return cutList(names, MOST_NAMES, (name) => JSON.stringify(name.slice(0, 200))).join(', ');
}
