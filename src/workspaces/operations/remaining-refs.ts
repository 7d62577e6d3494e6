/**
 * Refs of a run, which stay in the repository when the run is removed from its store.
 *
 * @module
 */
import { runRefs } from '../git/names.ts';
import { repositoryOpener } from '../git/repository.ts';
import { readOptions } from '../options.ts';

/** Names of the branch of a run, and of the folder of its refs, such as `refs/phasegate/<run>`. */
export interface RemainingRefs {
  readonly branch: string;
  readonly root: string;
}

/** Finds the refs of a run. @returns `undefined` if it has none, or the folder is in no repository that can be used. */
export async function remainingRefs(folder: string, run: string): Promise<RemainingRefs | undefined> {
  const { branch, branchRef, root } = runRefs(run);
  try {
    const { author, timeout } = readOptions({ repository: folder });
    const repository = await repositoryOpener({ folder, author, timeout })(new AbortController().signal);
    const { output } = await repository.git(['for-each-ref', '--count=1', '--format=%(refname)', root, branchRef]);
    return output.length > 0 ? { branch, root } : undefined;
  } catch {
    return undefined;
  }
}
