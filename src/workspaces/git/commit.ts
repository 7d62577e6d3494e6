/**
 * Commits of phasegate: their messages, and how they are written.
 *
 * @module
 */
import type { AttemptPlace } from '../port.ts';
import type { Repository } from './repository.ts';

/** Options of {@link writeCommit}. */
export interface CommitOptions {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** Writes a commit, and returns its id. It has no ref yet. */
export async function writeCommit(repository: Repository, options: CommitOptions): Promise<string> {
  const parents = options.parents.flatMap((parent) => ['-p', parent]);
  const commit = await repository.text(['commit-tree', options.tree, ...parents], { input: options.message });
  repository.lasting.add(`${commit}^{commit}`, commit);
  repository.lasting.add(`${commit}^{tree}`, options.tree);
  const [first] = options.parents;
  if (first !== undefined) repository.lasting.add(`${commit}^`, first);
  return commit;
}

/** Returns the message of a commit of an attempt. */
export function messageOf(place: AttemptPlace, title: string, task = place.task): string {
  const { phase, run, generation, attempt } = place;
  const trailers = [
    `Phasegate-Run: ${line(run)}`,
    `Phasegate-Task: ${line(task)}`,
    `Phasegate-Attempt: ${generation}.${attempt}`,
  ];
  return `phasegate(${line(phase, 60)}): ${line(title)}\n\n${trailers.join('\n')}\n`;
}

// --- internal ---

/** A text as one line, without control characters. */
function line(text: string, max = 200): string {
  return (
    text
      .slice(0, max)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .replaceAll(/[\p{Surrogate}]/gu, '')
      .trim() || 'unnamed'
  );
}
