/**
 * Writing of refs, all or none, and only if they still have the expected value.
 *
 * @module
 */
import { exclusively } from './mutex.ts';
import { resolveName } from './objects.ts';
import type { Repository } from './repository.ts';

/** A ref, its new value, and the value that it must have now: none if absent. */
export interface RefUpdate {
  readonly ref: string;
  readonly to: string;
  readonly from?: string | undefined;
}

/** Writes refs in one transaction. @returns False if one has another value than expected; then none is written. */
export async function updateRefs(repository: Repository, updates: readonly RefUpdate[]): Promise<boolean> {
  const lines = updates.map(({ ref, to, from = repository.zero }) => `update ${ref}\0${to}\0${from}\0`);
  return exclusively(repository.commonDir, async () => {
    try {
      await repository.git(['update-ref', '--stdin', '-z'], { input: lines.join('') });
      return true;
    } catch (error) {
      if (await areAsExpected(repository, updates)) throw error;
      return false;
    }
  });
}

/** Creates a ref, or returns the value that it has already. */
export async function createRef(repository: Repository, ref: string, to: string): Promise<string> {
  if (await updateRefs(repository, [{ ref, to }])) return to;
  return (await resolveName(repository, ref)) ?? to;
}

/** Writes a ref, whatever it was. */
export async function setRef(repository: Repository, ref: string, to: string): Promise<void> {
  await exclusively(repository.commonDir, () => repository.git(['update-ref', '--no-deref', ref, to]));
}

/** Deletes a ref, if there is one. */
export async function deleteRef(repository: Repository, ref: string): Promise<void> {
  await exclusively(repository.commonDir, () => repository.git(['update-ref', '--no-deref', '-d', ref]));
}

// --- internal ---

/** True if the failure of an update has another cause than the values. */
async function areAsExpected(repository: Repository, updates: readonly RefUpdate[]): Promise<boolean> {
  for (const { ref, from } of updates) {
    if ((await resolveName(repository, ref)) !== from) return false;
  }
  return true;
}
