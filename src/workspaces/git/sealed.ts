/**
 * A commit with facts about it, behind one ref: a tag object whose text is JSON. So both are written in one step.
 *
 * @module
 */
import { createRef } from './refs.ts';
import { resolveName } from './objects.ts';
import type { Repository } from './repository.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** A commit and the facts about it. */
export interface Sealed {
  readonly commit: string;
  /** JSON, not yet validated. */
  readonly facts: unknown;
}

/** Writes a tag object, and returns its id. It has no ref yet. */
export async function writeSeal(repository: Repository, { commit, facts }: Sealed): Promise<string> {
  const { name, email } = repository.author;
  const head = [`object ${commit}`, 'type commit', 'tag phasegate', `tagger ${name} <${email}> 0 +0000`];
  const input = `${head.join('\n')}\n\n${JSON.stringify(facts)}\n`;
  return repository.text(['hash-object', '-t', 'tag', '-w', '--stdin'], { input });
}

/** Puts a sealed commit behind a ref. @returns The earlier one if the ref exists already. */
export async function seal(repository: Repository, ref: string, sealed: Sealed): Promise<Sealed> {
  const tag = await writeSeal(repository, sealed);
  const found = await createRef(repository, ref, tag);
  return found === tag ? sealed : ((await readSealed(repository, ref)) ?? sealed);
}

/** Reads a sealed commit; `undefined` if there is no such ref. */
export async function readSealed(repository: Repository, ref: string): Promise<Sealed | undefined> {
  const id = await resolveName(repository, ref);
  if (id === undefined) return undefined;
  const text = await repository.text(['cat-file', 'tag', id], { maxBytes: MOST_BYTES });
  const [, commit] = /^object ([0-9a-f]{40,64})\n/u.exec(text) ?? [];
  const start = text.indexOf('\n\n');
  if (commit === undefined || start === -1) throw broken(ref);
  try {
    return { commit, facts: JSON.parse(text.slice(start + 2)) };
  } catch (error) {
    throw broken(ref, error);
  }
}

// --- internal ---

const MOST_BYTES = 4 * 1024 * 1024;

function broken(ref: string, cause?: unknown): PhasegateError {
  return new PhasegateError('WORKSPACE_REFUSED', `Cannot read ${ref} as phasegate did not write it`, {
    hint: 'Delete the ref if no run needs it: git update-ref -d <ref>.',
    cause,
  });
}
