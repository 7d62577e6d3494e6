/**
 * Runs and items of a store, for words of a command line that is being typed.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { sqliteStore } from '../../sqlite.ts';
import { standingOf } from '../../store/run-status.ts';
import { DEFAULT_STORE, LATEST, STORE_VARIABLE } from '../options/defaults.ts';
import { withLiveness } from '../options/run-owner.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import type { Candidate, Kept } from './candidates.ts';

/**
 * Asks a store, which nothing is written to.
 *
 * @param store A file. @default what the environment names, else {@link DEFAULT_STORE}
 * @returns At most {@link MOST} words, the latest first; none where the file is missing.
 * @throws PhasegateError of the store, where it cannot be read at once.
 */
export async function keptIn(kept: Kept, store: string | undefined, io: ProgramIo): Promise<readonly Candidate[]> {
  const path = placeOf(store ?? io.env[STORE_VARIABLE] ?? DEFAULT_STORE, io);
  if (!existsSync(path)) return [];
  const opened = sqliteStore(path, { readOnly: true, busyTimeout: MOST_WAIT });
  try {
    if (kept === 'item') {
      const items = (await opened.inbox({ open: true })).toReversed().slice(0, MOST);
      return items.map(({ id, about }) => ({ word: id, note: about })).filter(isPlain);
    }
    const runs = (await opened.runs({ limit: MOST })).map(withLiveness);
    const words = runs.map((run) => ({ word: run.runId, note: `${run.pipeline}, ${standingOf(run)}` }));
    return runs.length === 0 ? [] : [{ word: LATEST, note: 'the run that was started last' }, ...words.filter(isPlain)];
  } finally {
    await opened.close();
  }
}

/** Words that are listed at most: more are no help to whoever reads them. */
const MOST = 50;

/** Milliseconds that another process is waited for. Somebody waits at a prompt. */
const MOST_WAIT = 100;

/** True if no shell reads anything else in a word. Ids may be any text, and what completes a word also types it. */
function isPlain({ word }: Candidate): boolean {
  return /^[\w.:@%+,][\w.:@%+,-]*$/u.test(word);
}
