/**
 * Reading of records.
 *
 * @module
 */
import type { PackedRecord } from '../../model/events/large-values.ts';
import { damaged } from '../damage.ts';
import { recordOf } from '../serialize.ts';
import { checkedText, number } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import { idOrNull } from './selects.ts';

/**
 * Reads records of a run from one consistent state, and checks them.
 *
 * @param count `Infinity` for no limit.
 * @throws `STORE_UNREADABLE` if one of them is missing or was changed.
 */
export async function readRecords(
  { askForMany }: Connection,
  runId: string,
  first: number,
  count: number,
): Promise<readonly PackedRecord[]> {
  const limit = Math.min(count, LARGEST);
  const rows = await askForMany(`read run ${runId}`, RECORDS, [idOrNull(runId), Math.min(first, LARGEST), limit]);
  const last = number(rows[0] ?? { last: 0 }, 'last');
  const wanted = Math.max(0, Math.min(limit, last - first + 1));
  const records: PackedRecord[] = [];
  for (const row of rows) {
    const seq = first + records.length;
    if (row['seq'] !== seq) break;
    const text = checkedText(row, 'record', `record ${seq}`, runId, seq - 1);
    records.push(recordOf(text, { runId, seq }));
  }
  if (records.length >= wanted) return records;
  const missing = first + records.length;
  throw damaged(`record ${missing}`, runId, `it is missing, and the run has ${last}`, missing - 1);
}

// --- internal ---

/** The largest integer that is exact in JavaScript. */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** A run without such records has one row, without a record. */
const RECORDS = `SELECT runs.seq::float8 AS last, records.seq::float8 AS seq, record, records.sum::float8 AS sum
  FROM phasegate.runs LEFT JOIN phasegate.records ON run = key AND records.seq >= $2 AND records.seq < $2::float8 + $3::float8
  WHERE id = $1 AND runs.seq > 0 ORDER BY records.seq LIMIT $3`;
