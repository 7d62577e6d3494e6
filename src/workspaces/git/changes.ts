/**
 * Paths that differ between two commits.
 *
 * @module
 */
import type { ChangedFile, Changes } from '../port.ts';
import type { Repository, RepositoryCall } from './repository.ts';
import { itemsOf, textOf } from './run-git.ts';

/** Most files that are listed. */
export const MOST_FILES = 10_000;

/** Lists the files that differ between two trees or commits. A renamed file is one that is deleted and one that is added. */
export async function changesOf(
  repository: Repository,
  from: string,
  to: string,
  call?: Pick<RepositoryCall, 'objects'>,
): Promise<Changes> {
  const { output } = await repository.git(['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to], call);
  const items = itemsOf(output);
  const files = items.flatMap((status, index) =>
    index % 2 === 0 ? [{ path: textOf(items[index + 1] ?? ''), status: statusOf(status) }] : [],
  );
  return { files: files.slice(0, MOST_FILES), fileCount: files.length };
}

/** Returns the word for a letter of git. */
export function statusOf(letters: string): ChangedFile['status'] {
  return WORDS[letters.slice(0, 1)] ?? 'modified';
}

// --- internal ---

const WORDS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  C: 'added',
  D: 'deleted',
  R: 'renamed',
  T: 'typeChanged',
};
