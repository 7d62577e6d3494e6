/**
 * Reading of records: many with each statement, as one row for each record would double the cost.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { recordOf, recordsOf } from '../serialize.ts';
import type { Connection } from './connection.ts';
import { isBusy } from './problems.ts';
import { number, text } from './rows.ts';
import { LAST_SEQ } from './schema.ts';

/** Reads records of a run from one consistent state. @param count `Infinity` for no limit. */
export function readRecords(connection: Connection, runId: string, first: number, count: number): RunRecord[] {
  const { sql, readAtOnce } = connection;
  return readAtOnce(`read run ${runId}`, () => readAll(sql, runId, Math.min(first, LAST_SEQ), count));
}

// --- internal ---

/** Records per statement: few enough for a text of moderate size, and enough to make the cost of a statement negligible. */
const AT_ONCE = 256;

const ROWS = `SELECT seq, record FROM records
  WHERE key BETWEEN ((SELECT key FROM runs WHERE id = ?1) << 32) | ?2
    AND ((SELECT key FROM runs WHERE id = ?1) << 32) | ${LAST_SEQ} ORDER BY key LIMIT ?3`;
const TOGETHER = `SELECT count(*) AS count, max(seq) AS last, '[' || coalesce(group_concat(record, ','), '') || ']' AS list
  FROM (${ROWS})`;

/** Consecutive records. */
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

/** @returns `undefined` if a record is damaged, or the records are too large to be read at once. */
function readTogether(sql: Connection['sql'], runId: string, from: number, wanted: number): Part | undefined {
  try {
    const row = sql(TOGETHER).get(runId, from, wanted) ?? {};
    const records = recordsOf(text(row, 'list'), number(row, 'count'));
    return records && { records, last: number(row, 'last') };
  } catch (error) {
    if (isBusy(error)) throw error;
    return undefined;
  }
}

/** Reads records one by one, so that an error names the damaged one. */
function readEach(sql: Connection['sql'], runId: string, from: number, wanted: number): Part {
  const rows = sql(ROWS).all(runId, from, wanted);
  const last = rows.at(-1);
  return { records: rows.map((row) => recordOf(text(row, 'record'))), last: last ? number(last, 'seq') : from };
}
