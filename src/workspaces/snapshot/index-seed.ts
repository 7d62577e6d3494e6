/**
 * The index of a new workspace, kept in memory while an agent works. A snapshot that begins with it need not read every file.
 *
 * The agent cannot change it, and only the process that has opened the workspace has it. Git reads a file again if its time is not before
 * that of the index, so the index keeps its time.
 *
 * @module
 */
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';

/** An index that may be known. It is refreshed if git has compared each of its files with the folder. */
export interface IndexSeed {
  /** Remembers an index file. */
  take(file: string, facts: SeedFacts): Promise<void>;
  /** Writes the index that is remembered to a file. @returns `undefined` if there is no index. */
  put(file: string): Promise<SeedFacts | undefined>;
  /** Waits with `put` for work that refreshes the index. The work is told when `put` is called, and may have failed. */
  refresh(work: (seed: IndexSeed, wanted: AbortSignal) => Promise<void>): void;
}

/** Facts about an index. */
export interface SeedFacts {
  readonly state: 'new' | 'refreshed';
  /** Id of its tree, if the repository has that. */
  readonly tree?: string | undefined;
  /** Time at which the comparison began, in seconds. @default that of the file */
  readonly seconds?: number | undefined;
}

/** Creates a seed that remembers nothing yet. */
export function createIndexSeed(): IndexSeed {
  let known: { readonly content: Buffer; readonly facts: SeedFacts & { readonly seconds: number } } | undefined;
  let refreshing: Promise<void> | undefined;
  const wanted = new AbortController();
  async function take(file: string, facts: SeedFacts): Promise<void> {
    const { size, mtimeNs } = await stat(file, { bigint: true });
    if (size > MOST_BYTES) return;
    // Rounded down, as an index that looks later than it is would hide changes.
    const seconds = facts.seconds ?? (Number(mtimeNs / 1000n) - 1) / 1e6;
    known = { content: await readFile(file), facts: { ...facts, seconds } };
  }
  async function write(file: string): Promise<SeedFacts | undefined> {
    if (!known) return undefined;
    const { content, facts } = known;
    await writeFile(file, content, { mode: 0o600 });
    await utimes(file, facts.seconds, facts.seconds);
    return facts;
  }
  return {
    take,
    async put(file) {
      wanted.abort();
      await refreshing;
      return write(file);
    },
    refresh(work) {
      refreshing ??= work({ take, put: write, refresh: () => undefined }, wanted.signal).catch(() => undefined);
    },
  };
}

// --- internal ---

/** Most bytes of an index that is kept in memory: some 600 000 files. */
const MOST_BYTES = 64 * 1024 * 1024;
