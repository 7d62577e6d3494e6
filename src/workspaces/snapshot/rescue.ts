/**
 * Content of a workspace that nothing else has, kept before its removal.
 *
 * @module
 */
import { messageOf, writeCommit } from '../git/commit.ts';
import type { Isolation } from '../isolation.ts';
import { attemptRef } from '../git/names.ts';
import { createRef } from '../git/refs.ts';
import type { AttemptPlace, WorkspaceInfo } from '../port.ts';
import { keepOwnCommits } from './own-commits.ts';
import { takeTree, type TakeOptions } from './take-tree.ts';

/** Options of {@link rescueWork}. */
export interface RescueOptions extends Omit<TakeOptions, 'objects'> {
  readonly place: AttemptPlace;
  readonly isolation: Isolation;
}

/** The new state of a workspace, and the ref with its files. */
export interface Rescue extends Pick<WorkspaceInfo, 'state' | 'reason'> {
  readonly ref: string;
}

/** Keeps files and commits below `refs/phasegate/<run>/left/…`. */
export async function rescueWork(options: RescueOptions): Promise<Rescue> {
  const { repository, place, base, isolation } = options;
  const taken = await takeTree(options);
  const message = messageOf(place, 'content of a workspace that was left');
  const commit = await writeCommit(repository, { tree: taken.tree, parents: [base], message });
  const ref = `${attemptRef('left', place)}/${commit.slice(0, 12)}`;
  await createRef(repository, ref, commit);
  const { problem } = isolation === 'clone' ? await keepOwnCommits({ ...options, ref: `${ref}-commits` }) : {};
  const doubt = [
    ...(taken.nested.length > 0 ? ['the history of a repository in it is not'] : []),
    ...(taken.submodules.length > 0 ? ['changes inside of a submodule are not'] : []),
    ...(taken.left.length > 0 ? ['paths that git refuses are not'] : []),
    ...(problem === undefined ? [] : [`commits may not be, as ${problem}`]),
  ];
  if (doubt.length === 0) return { state: 'removable', ref, reason: `Its content is kept in ${ref}.` };
  return { state: 'left', ref, reason: `Its files are kept in ${ref}, but ${doubt.join(', and ')}.` };
}
