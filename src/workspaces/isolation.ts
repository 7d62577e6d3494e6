/**
 * Separation of an agent from the repository.
 *
 * @module
 */

/** A clone of its own, a working tree of the repository, or the user's own folder. */
export type Isolation = 'clone' | 'worktree' | 'inPlace';
