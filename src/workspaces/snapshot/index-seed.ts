/**
 * The index of a new workspace, kept in memory while an agent works. A snapshot that begins with it need not read every file.
 *
 * The agent cannot change it, and only the process that has opened the workspace has it. Git reads a file again if its time is not before
 * that of the index, so the index keeps its time.
 *
 * @module
 */
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';

/** An index that may be known. */
export interface IndexSeed {
  /** Remembers an index file. It is refreshed if git has compared each of its files with the folder. */
  take(file: string, state: 'new' | 'refreshed'): Promise<void>;
  /** Writes the index that is remembered to a file. @returns Its state; `none` if there is no index. */
  put(file: string): Promise<'none' | 'new' | 'refreshed'>;
}

/** Creates a seed that remembers nothing yet. */
export function createIndexSeed(): IndexSeed {
  let known: { readonly content: Buffer; readonly seconds: number; readonly state: 'new' | 'refreshed' } | undefined;
  return {
    async take(file, state) {
      const { size, mtimeNs } = await stat(file, { bigint: true });
      if (size > MOST_BYTES) return;
      // Rounded down, as an index that looks later than it is would hide changes.
      known = { content: await readFile(file), seconds: (Number(mtimeNs / 1000n) - 1) / 1e6, state };
    },
    async put(file) {
      if (!known) return 'none';
      const { content, seconds, state } = known;
      await writeFile(file, content, { mode: 0o600 });
      await utimes(file, seconds, seconds);
      return state;
    },
  };
}

// --- internal ---

/** Most bytes of an index that is kept in memory: some 600 000 files. */
const MOST_BYTES = 64 * 1024 * 1024;
