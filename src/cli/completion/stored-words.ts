/**
 * Run ids, item ids and tags of a store, as candidates for completion.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { counted } from '../../model/values/counts.ts';
import { withWaitsBelow } from '../../runtime/inbox/waits-below.ts';
import { sqliteStore } from '../../sqlite.ts';
import { standingOf } from '../../store/run-status.ts';
import { LATEST } from '../../store/run-id.ts';
import { DEFAULT_STORE, STORE_VARIABLE } from '../options/defaults.ts';
import { withLiveness } from '../options/run-owner.ts';
import { isAddress, openPostgres } from '../options/store-address.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import type { Candidate, StoredKind } from './candidates.ts';

/**
 * Reads run ids, item ids or tags from a store without writing to it.
 *
 * @param store The file of the store. @default the file that the environment names, else {@link DEFAULT_STORE}
 * @returns At most {@link MOST} words, the latest first; none if the file is missing.
 * @throws PhasegateError of the store if it cannot be read at once.
 */
export async function wordsIn(
  kind: StoredKind,
  store: string | undefined,
  io: ProgramIo,
): Promise<readonly Candidate[]> {
  const named = store ?? io.env[STORE_VARIABLE] ?? DEFAULT_STORE;
  const path = placeOf(named, io);
  if (!isAddress(named) && !existsSync(path)) return [];
  const opened = isAddress(named) ? openPostgres(named).store : sqliteStore(path, { readOnly: true });
  try {
    if (kind === 'item') {
      const items = (await opened.inbox({ open: true })).toReversed().slice(0, MOST);
      return items.map(({ id, about }) => ({ word: id, note: about })).filter(isPlain);
    }
    if (kind === 'tag')
      return tagsOf(await opened.runs({ limit: MOST_READ }))
        .filter(isPlain)
        .slice(0, MOST);
    const runs = (await withWaitsBelow(opened, await opened.runs({ limit: MOST }))).map(withLiveness);
    const words = runs.map((run) => ({ word: run.runId, note: `${run.pipeline}, ${standingOf(run)}` }));
    return runs.length === 0 ? [] : [{ word: LATEST, note: 'the run that was started last' }, ...words.filter(isPlain)];
  } finally {
    await opened.close();
  }
}

/** The most words that are listed: a reader cannot use more. */
const MOST = 50;

/** The most runs whose tags are read. */
const MOST_READ = 1000;

/** Returns the tags of runs, those of the latest first, each with the number of its runs. */
function tagsOf(runs: readonly { readonly tags?: readonly string[] | undefined }[]): readonly Candidate[] {
  const counts = new Map<string, number>();
  for (const tag of runs.flatMap(({ tags = [] }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ word, note: counted(count, 'run') }));
}

/** True if every shell takes a word literally. Ids may be any text, and completion types them for the user. */
function isPlain({ word }: Candidate): boolean {
  return /^[\w.:@%+,][\w.:@%+,=/-]*$/u.test(word);
}
