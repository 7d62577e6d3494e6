/**
 * Search for a text in the runs of a store, a bounded part at a time.
 *
 * @module
 */
import { hasCode } from '../../model/errors/phasegate-error.ts';
import { foldAttemptNumbers, type AttemptNumbers } from '../../projections/search/attempt-numbers.ts';
import { createSearch, type Found } from '../../projections/search/find-in-record.ts';
import { withValues } from '../../store/read-run.ts';
import { runUnknown } from '../../store/refusals.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';

/** A record that has the text. */
export interface SearchHit extends Found {
  readonly runId: string;
  readonly pipeline: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /**
   * The number of its attempt among all attempts of the phase in the run, from 1. `null` if the record belongs to none, or if the part
   * begins after record 200 000 of the run.
   */
  readonly attempt: number | null;
}

/** The last record that was looked at. */
export interface SearchPosition {
  readonly runId: string;
  readonly seq: number;
}

/** A part of the result. */
export interface SearchPart {
  /** The runs started last first, and the records of each in their order. */
  readonly hits: readonly SearchHit[];
  /** The position from which the search goes on; `null` if it is over. */
  readonly next: SearchPosition | null;
  /** The number of records that were looked at. */
  readonly records: number;
  /** Ids of runs that have a damaged record, and were searched up to it; or a damaged row. */
  readonly unreadable: readonly string[];
}

/** Options of {@link searchRuns}. */
export interface SearchOptions {
  /** The text, in any case; 1 to 200 characters. */
  readonly text: string;
  /** The run to search. @default all runs */
  readonly runId?: string | undefined;
  /** The position at which an earlier part ended. @default the beginning */
  readonly after?: SearchPosition | undefined;
  /** Most hits. @default 50 */
  readonly limit?: number | undefined;
  /** Ends the search early. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Waits until others were served, between two pieces of work. @default a timer */
  readonly turn?: (() => Promise<void>) | undefined;
}

/**
 * Searches runs. It ends after `limit` hits, 20 000 records, or 20 million characters, so that no call takes long.
 *
 * @throws PhasegateError `INPUT_INVALID` for a blank or too long text; `RUN_UNKNOWN` if the named run is not in the store.
 */
export async function searchRuns(
  store: Pick<RunStore, 'runs' | 'run' | 'read' | 'artifact'>,
  { text, runId, after, limit = MOST_HITS, signal, turn = afterTimer }: SearchOptions,
): Promise<SearchPart> {
  const search = createSearch(text);
  const runs = await runsAfter(store, runId, after);
  const hits: SearchHit[] = [];
  const unreadable: string[] = [];
  let records = 0;
  let compared = 0;
  const part = (next: SearchPosition | null): SearchPart => ({ hits, next, records, unreadable });
  for (const run of runs) {
    let last = run.runId === after?.runId ? after.seq : 0;
    // A part that begins inside a run counts the earlier attempts once it has a hit.
    // The number of records is in the row: if that is damaged, there may be more.
    if (run.damage !== undefined && last === 0) unreadable.push(run.runId);
    let numbers = last === 0 ? foldAttemptNumbers() : undefined;
    while (last < run.seq) {
      await turn();
      if (signal?.aborted) return part(null);
      const from = last + 1;
      try {
        for (const record of await store.read(run.runId, from, PAGE)) {
          // Values of megabytes are stored apart: one at a time is in memory. No plan is, as none is searched.
          const whole = await withValues(store, record);
          const result = search(whole);
          last = record.seq;
          records += 1;
          compared += result.compared;
          const { seq, time } = record;
          numbers?.apply(record);
          if (result.found) {
            numbers ??= await numbersUpTo(store, run.runId, seq, turn);
            const attempt = numbers.of(record.event);
            hits.push({ runId: run.runId, pipeline: run.pipeline, seq, time, attempt, ...result.found });
          }
          if (hits.length >= limit || records >= MOST_RECORDS || compared >= MOST_CHARACTERS)
            return part({ runId: run.runId, seq: last });
        }
      } catch (thrown) {
        if (!hasCode(thrown, 'STORE_UNREADABLE')) throw thrown;
        // The values of a run that was removed are gone with it.
        const isThere = await store.run(run.runId);
        if (isThere && !unreadable.includes(run.runId)) unreadable.push(run.runId);
        break;
      }
      // The run was removed.
      if (last < from) break;
    }
  }
  return part(null);
}

// --- internal ---

const MOST_HITS = 50;
const MOST_RECORDS = 20_000;
const MOST_CHARACTERS = 20_000_000;
/** Records of one piece of work. */
const PAGE = 200;

/** Records before a part that are read for the numbers of attempts. */
const MOST_COUNTED = 200_000;

/** Applies the records of a run up to one. */
async function numbersUpTo(
  store: Pick<RunStore, 'read'>,
  runId: string,
  seq: number,
  turn: () => Promise<void>,
): Promise<AttemptNumbers> {
  if (seq > MOST_COUNTED) return UNKNOWN;
  const numbers = foldAttemptNumbers();
  for (let from = 1; from <= seq;) {
    await turn();
    const records = await store.read(runId, from, Math.min(PAGE, seq - from + 1));
    for (const record of records) numbers.apply(record);
    // The run was removed.
    if (records.length === 0) return UNKNOWN;
    from += records.length;
  }
  return numbers;
}

/** Numbers of attempts without their beginning. */
const UNKNOWN: AttemptNumbers = { apply: () => undefined, of: () => null };

function afterTimer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function runsAfter(
  store: Pick<RunStore, 'runs' | 'run'>,
  runId: string | undefined,
  after: SearchPosition | undefined,
): Promise<readonly ListedRun[]> {
  if (runId !== undefined) return [await runOf(store, runId)];
  const all = await store.runs();
  if (!after) return all;
  const at = all.findIndex((run) => run.runId === after.runId);
  if (at === -1) await runOf(store, after.runId);
  return all.slice(at);
}

/** @throws PhasegateError `RUN_UNKNOWN` */
async function runOf(store: Pick<RunStore, 'run'>, runId: string): Promise<ListedRun> {
  const run = await store.run(runId);
  if (!run) throw runUnknown('search', runId);
  return run;
}
