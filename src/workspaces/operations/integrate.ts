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
import { requireCommit, resolveName, type Repository } from '../git/repository.ts';
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
    const paths = await conflictsOf(repository, scratch, commit, theirs, async (tree) => {
      const message = messageOf(place, part.title, part.name);
      commit = await writeCommit(repository, { tree, parents: [commit, theirs], message });
    });
    if (paths) conflicts.push(conflict(part, paths));
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

/** Merges two commits. @returns The paths in conflict, or nothing if `take` was given the merged tree. */
async function conflictsOf(
  repository: Repository,
  scratch: string,
  ours: string,
  theirs: string,
  take: (tree: string) => Promise<void>,
): Promise<readonly string[] | undefined> {
  if (await adds(repository, ours, theirs)) {
    const words = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', '--allow-unrelated-histories'];
    const { code, output } = await repository.git([...words, ours, theirs], {
      codes: [0, 1],
      workTree: scratch,
      cwd: scratch,
    });
    const [tree = '', ...paths] = itemsOf(output);
    if (code === 1) return [...new Set(paths)].map(textOf);
    await take(tree);
  }
  return undefined;
}

/** True if a commit has changes, and is not in the other one already. */
async function adds(repository: Repository, ours: string, theirs: string): Promise<boolean> {
  const { code } = await repository.git(['merge-base', '--is-ancestor', theirs, ours], { codes: [0, 1] });
  if (code === 0) return false;
  const [tree, before] = await Promise.all([
    resolveName(repository, `${theirs}^{tree}`),
    resolveName(repository, `${theirs}^^{tree}`),
  ]);
  return tree !== before;
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
