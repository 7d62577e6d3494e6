/**
 * Reading records: many with each statement, as a row of its own for each is half of what reading costs.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { recordOf, recordsOf } from '../serialize.ts';
import type { Connection } from './connection.ts';
import { number, text } from './rows.ts';
import { LAST_SEQ } from './schema.ts';

/** Records of a run by number, all as they are at one moment. @param count `Infinity` for no limit. */
export function readRecords(connection: Connection, runId: string, first: number, count: number): RunRecord[] {
  const { sql, readAtOnce } = connection;
  return readAtOnce(`read run ${runId}`, () => readAll(sql, runId, Math.min(first, LAST_SEQ), count));
}

// --- internal ---

/** Few enough for a text that is not too long, and many enough to make little of what a statement costs. */
const AT_ONCE = 256;

const ROWS = `SELECT seq, record FROM records
  WHERE key BETWEEN ((SELECT key FROM runs WHERE id = ?1) << 32) | ?2
    AND ((SELECT key FROM runs WHERE id = ?1) << 32) | ${LAST_SEQ} ORDER BY key LIMIT ?3`;
const TOGETHER = `SELECT count(*) AS count, max(seq) AS last, '[' || coalesce(group_concat(record, ','), '') || ']' AS list
  FROM (${ROWS})`;

/** Some records that follow each other. */
interface Part {
  readonly records: readonly RunRecord[];
  /** The number of the last row. */
  readonly last: number;
}

function readAll(sql: Connection['sql'], runId: string, first: number, count: number): RunRecord[] {
  const records: RunRecord[] = [];
  for (let from = first; records.length < count;) {
    const wanted = Math.min(AT_ONCE, count - records.length);
    const part = readTogether(sql, runId, from, wanted) ?? readEach(sql, runId, from, wanted);
    for (const record of part.records) records.push(record);
    if (part.records.length < wanted) break;
    from = part.last + 1;
  }
  return records;
}

/** @returns `undefined` where one of them is damaged, or they are too large to be read at once. */
function readTogether(sql: Connection['sql'], runId: string, from: number, wanted: number): Part | undefined {
  try {
    const row = sql(TOGETHER).get(runId, from, wanted) ?? {};
    const records = recordsOf(text(row, 'list'), number(row, 'count'));
    return records && { records, last: number(row, 'last') };
  } catch {
    return undefined;
  }
}

/** One by one, which tells what is wrong with which. */
function readEach(sql: Connection['sql'], runId: string, from: number, wanted: number): Part {
  const rows = sql(ROWS).all(runId, from, wanted);
  const last = rows.at(-1);
  return { records: rows.map((row) => recordOf(text(row, 'record'))), last: last ? number(last, 'seq') : from };
}
