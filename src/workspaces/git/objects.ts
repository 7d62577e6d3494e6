/**
 * Objects of a repository, by their names.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Repository } from './repository.ts';

/** Returns the id of the object that a name stands for; `undefined` if there is none. */
export async function resolveName(repository: Repository, name: string): Promise<string | undefined> {
  const { lasting } = repository;
  const known = lasting.get(name);
  if (known) return known.id;
  const { code, output } = await repository.git(['rev-parse', '--quiet', '--verify', '--end-of-options', name], {
    codes: [0, 1],
  });
  const id = code === 0 ? output.toString('latin1').trim() : undefined;
  lasting.add(name, id);
  if (id !== undefined && name.endsWith('^{commit}')) lasting.add(`${id}^{commit}`, id);
  return id;
}

/** Returns the ids of the objects that names stand for, by one call of git. None of the names has a line end. */
export async function resolveNames(
  repository: Repository,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const { lasting } = repository;
  const asked = names.filter((name) => !lasting.get(name));
  const found = new Map<string, string>();
  if (asked.length > 0) {
    const input = asked.map((name) => `${name}\n`).join('');
    const answers = (await repository.text(['cat-file', '--batch-check=%(objectname)'], { input })).split('\n');
    for (const [at, name] of asked.entries()) {
      const id = answers[at];
      if (id === undefined || !OBJECT_ID.test(id)) continue;
      found.set(name, id);
      lasting.add(name, id);
    }
  }
  return names.map((name) => found.get(name) ?? lasting.get(name)?.id);
}

/** Returns the id of a commit in full. @throws PhasegateError `WORKSPACE_REFUSED` if the repository has no such commit. */
export async function requireCommit(repository: Repository, commit: string): Promise<string> {
  const found = OBJECT_ID.test(commit) ? await resolveName(repository, `${commit}^{commit}`) : undefined;
  if (found !== undefined) return found;
  const shown = JSON.stringify(commit.slice(0, 80));
  throw new PhasegateError('WORKSPACE_REFUSED', `Cannot use commit ${shown} as the repository does not have it`, {
    hint: 'Give the full id of a commit, as `start`, `keep` and `integrate` return it.',
  });
}

/** The full id of an object. */
export const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
