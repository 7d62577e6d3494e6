/**
 * Notes: facts about a repository and its workspaces.
 *
 * @module
 */

/** A fact that people and the agent should know. */
export interface Note {
  readonly code: NoteCode;
  /** One or more sentences. */
  readonly text: string;
}

/** Kinds of notes. The first group is of a repository at the start of a run, the second of a workspace, the third of a snapshot. */
export type NoteCode =
  | 'uncommitted'
  | 'unborn'
  | 'shallow'
  | 'submodules'
  | 'lfs'
  | 'sparse'
  | 'caseInsensitive'
  | 'detached'
  | 'inProgress'
  | 'nestedLeftOut'
  | 'includeMissing'
  | 'setupChanged'
  | 'restored'
  | 'nested'
  | 'notTaken'
  | 'submoduleReset'
  | 'ownCommits'
  | 'ownCommitsLeft';
