/**
 * Reading of a run in pages, so that a large one is never in memory as a whole.
 *
 * @module
 */
import { hasCode } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';

/** Most records of a page. */
const PAGE = 1000;

/** Reads at most `limit` records, the first of which has the number `from`. */
type ReadPart = (from: number, limit: number) => readonly RunRecord[] | Promise<readonly RunRecord[]>;

/** Options of {@link pagesOf}. */
export interface PagesOptions {
  /** Number of the first record. @default 1 */
  readonly from?: number | undefined;
  /** Number of the last record. @default the last that is stored */
  readonly to?: number | undefined;
}

/**
 * Generates the records of a run in pages. It ends early if records are missing.
 *
 * @throws PhasegateError `STORE_UNREADABLE` at the first damaged record, after all records before it.
 */
export async function* pagesOf(
  read: ReadPart,
  { from = 1, to = Infinity }: PagesOptions = {},
): AsyncGenerator<readonly RunRecord[], void, undefined> {
  let most = PAGE;
  for (let next = from; next <= to;) {
    let page: readonly RunRecord[];
    try {
      page = await read(next, Math.min(most, to - next + 1));
    } catch (error) {
      if (most === 1 || !hasCode(error, 'STORE_UNREADABLE')) throw error;
      most = 1;
      continue;
    }
    if (page.length === 0) return;
    yield page;
    next += page.length;
  }
}
