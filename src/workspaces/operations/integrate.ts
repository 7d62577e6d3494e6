/**
 * Commits of tasks, folded into one without a working tree.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, writeCommit } from '../git/commit.ts';
import { attemptRef } from '../git/names.ts';
import { requireCommit, resolveName, resolveNames } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { itemsOf, textOf } from '../git/run-git.ts';
import { readSealed, seal, type Sealed } from '../git/sealed.ts';
import type { Conflict, Integration, IntegrationPart, IntegrateOptions } from '../port.ts';

/** Folds parts into a base, in order. The first result of a place is that of every later call. */
export async function integrateParts(
  repository: Repository,
  scratch: string,
  { place, base, parts }: Omit<IntegrateOptions, 'signal'>,
): Promise<Integration> {
  const ref = attemptRef('merged', place);
  const earlier = await readSealed(repository, ref);
  if (earlier) return integrationOf(earlier);
  let commit = await requireCommit(repository, base);
  await copyAttributes(repository, commit, scratch);
  const conflicts: Conflict[] = [];
  for (const part of parts) {
    const theirs = await requireCommit(repository, part.commit);
    const merge = await mergeOf(repository, { ours: commit, theirs, base, start: part.start });
    const found =
      merge && (merge.tree === undefined ? await mergeTrees(repository, scratch, merge.sides) : { tree: merge.tree });
    if (found && 'paths' in found) conflicts.push(conflict(part, found.paths));
    else if (merge && found) {
      const message = messageOf(place, part.title, part.name);
      commit = await writeCommit(repository, { tree: found.tree, parents: merge.parents, message });
    }
  }
  return integrationOf(await seal(repository, ref, { commit, facts: { conflicts } }));
}

// --- internal ---

const factsSchema = z.object({ conflicts: z.array(z.object({ name: z.string(), paths: z.array(z.string()) })) });

/** Most paths of a conflict. */
const MOST_PATHS = 1000;

function integrationOf({ commit, facts }: Sealed): Integration {
  return { commit, conflicts: factsSchema.parse(facts).conflicts };
}

function conflict({ name }: IntegrationPart, paths: readonly string[]): Conflict {
  return { name, paths: paths.slice(0, MOST_PATHS) };
}

interface MergeOptions {
  readonly ours: string;
  readonly theirs: string;
  readonly base: string;
  readonly start: string | undefined;
}

interface Merge {
  /** The commits to merge. */
  readonly sides: readonly [string, string];
  /** The result if only one side has changes. */
  readonly tree?: string;
  /** Parents of the merged commit. */
  readonly parents: readonly string[];
}

/** Returns the merge that integrates a commit; `undefined` if the commit has no changes, or is integrated already. */
async function mergeOf(repository: Repository, options: MergeOptions): Promise<Merge | undefined> {
  const { ours, theirs, base, start } = options;
  const names = [`${theirs}^{tree}`, `${start ?? `${theirs}^`}^{tree}`, `${theirs}^`];
  const [tree = '', before = '', parent] = await resolveNames(repository, names);
  if (tree === before) return undefined;
  if (start !== undefined && (start !== base || parent !== base)) {
    // Git finds the base of a merge in the history, so the changes since the start get a history of their own.
    const root = await bare(before, []);
    const own = (await resolveName(repository, `${ours}^{tree}`)) ?? '';
    return { sides: [await bare(own, [root]), await bare(tree, [root])], parents: [ours] };
  }
  if (parent === ours) return { sides: [ours, theirs], parents: [ours, theirs], tree };
  const { code } = await repository.git(['merge-base', '--is-ancestor', theirs, ours], { codes: [0, 1] });
  return code === 0 ? undefined : { sides: [ours, theirs], parents: [ours, theirs] };

  function bare(content: string, parents: readonly string[]): Promise<string> {
    return writeCommit(repository, { tree: content, parents, message: 'phasegate: side of a merge\n' });
  }
}

/** Merges two commits. @returns The merged tree, or the paths in conflict. */
async function mergeTrees(
  repository: Repository,
  scratch: string,
  sides: Merge['sides'],
): Promise<{ readonly tree: string } | { readonly paths: readonly string[] }> {
  const words = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', '--allow-unrelated-histories'];
  const { code, output } = await repository.git([...words, ...sides], {
    codes: [0, 1],
    workTree: scratch,
    cwd: scratch,
  });
  const [tree = '', ...paths] = itemsOf(output);
  return code === 1 ? { paths: [...new Set(paths)].map(textOf) } : { tree };
}

/**
 * Copies the attributes of a commit to the folder in which git looks for them, so that a file may be merged as a union of lines.
 */
async function copyAttributes(repository: Repository, commit: string, scratch: string): Promise<void> {
  const id = await resolveName(repository, `${commit}:.gitattributes`);
  if (id === undefined) return;
  const { code, output } = await repository.git(['cat-file', 'blob', id], {
    codes: [0, 128],
    maxBytes: 1_000_000,
    cut: true,
  });
  if (code === 0) await writeFile(join(scratch, '.gitattributes'), output);
}
