/**
 * Reading of records: many with each statement, as one row for each record would double the cost.
 *
 * @module
 */
import type { PackedRecord } from '../../model/events/large-values.ts';
import { chainedChecksum } from '../checksum.ts';
import { damaged, MISMATCH } from '../damage.ts';
import { recordOf, recordsOf } from '../serialize.ts';
import type { Connection } from './connection.ts';
import { isBusy } from './problems.ts';
import { number, text } from '../sql/rows.ts';
import { LAST_SEQ } from './schema.ts';

/**
 * Reads records of a run from one consistent state, and checks them.
 *
 * @param count `Infinity` for no limit.
 * @throws `STORE_UNREADABLE` if one of them is missing or was changed.
 */
export function readRecords(connection: Connection, runId: string, first: number, count: number): PackedRecord[] {
  const { sql, readAtOnce } = connection;
  return readAtOnce(`read run ${runId}`, () => {
    const from = Math.min(first, LAST_SEQ);
    const row = sql(RUN).get(runId, from - 1);
    if (!row) return [];
    const run = { runId, key: number(row, 'key'), seq: number(row, 'seq') };
    return readAll(sql, run, { from, sum: number(row, 'sum') }, Math.min(count, run.seq - from + 1));
  });
}

// --- internal ---

/** Records per statement: few enough for a text of moderate size, and enough to make the cost of a statement negligible. */
const AT_ONCE = 256;

const RUN = `SELECT key, CAST(seq AS REAL) AS seq,
  CAST(coalesce((SELECT sum FROM records WHERE records.key = (runs.key << 32) | ?2), 0) AS REAL) AS sum
  FROM runs WHERE id = ?1`;
const ROWS = `SELECT seq, record, CAST(sum AS REAL) AS sum FROM records WHERE key BETWEEN (?1 << 32) | ?2 AND (?1 << 32) | ${LAST_SEQ}
  ORDER BY key LIMIT ?3`;
// With max(), SQLite takes columns outside of functions from the row that has the maximum.
const TOGETHER = `SELECT max(seq) AS last, sum, group_concat(record, ',') AS list FROM (${ROWS})`;

/** A run as its row has it. */
interface StoredRun {
  readonly runId: string;
  readonly key: number;
  readonly seq: number;
}

/** A place in the chain of records. */
interface Place {
  /** Number of the next record. */
  readonly from: number;
  /** Checksum of the record before it. */
  readonly sum: number;
}

/** Consecutive records. */
interface Part {
  readonly records: readonly PackedRecord[];
  readonly next: Place;
}

function readAll(sql: Connection['sql'], run: StoredRun, first: Place, count: number): PackedRecord[] {
  const records: PackedRecord[] = [];
  let next = first;
  while (records.length < count) {
    const wanted = Math.min(AT_ONCE, count - records.length);
    const part = readTogether(sql, run, next, wanted) ?? readEach(sql, run, next, wanted);
    for (const record of part.records) records.push(record);
    ({ next } = part);
  }
  return records;
}

/** @returns `undefined` if a record is damaged, or the records are too large to be read at once. */
function readTogether(sql: Connection['sql'], run: StoredRun, place: Place, wanted: number): Part | undefined {
  try {
    const row = sql(TOGETHER).get(run.key, place.from, wanted) ?? {};
    const list = text(row, 'list');
    const sum = number(row, 'sum');
    const next = { from: place.from + wanted, sum };
    if (number(row, 'last') !== next.from - 1 || chainedChecksum(place.sum, list) !== sum) return undefined;
    const records = recordsOf(list, { runId: run.runId, from: place.from, count: wanted });
    return records && { records, next };
  } catch (error) {
    if (isBusy(error)) throw error;
    return undefined;
  }
}

/** Reads records one by one, so that an error names the damaged one. */
function readEach(sql: Connection['sql'], { runId, key, seq }: StoredRun, place: Place, wanted: number): Part {
  const records: PackedRecord[] = [];
  let { from, sum } = place;
  for (const row of sql(ROWS).all(key, from, wanted)) {
    if (number(row, 'seq') !== from) break;
    const found = text(row, 'record');
    sum = chainedChecksum(sum, found);
    if (sum !== number(row, 'sum')) throw damaged(`record ${from}`, runId, MISMATCH, from - 1);
    records.push(recordOf(found, { runId, seq: from }));
    from += 1;
  }
  if (records.length === wanted) return { records, next: { from, sum } };
  throw damaged(`record ${from}`, runId, `it is missing, and the run has ${seq}`, from - 1);
}
