/**
 * Storing of batches: one transaction, and as few statements as possible.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Append, Batch, Lease } from '../port.ts';
import { chainedChecksum, checksumOf } from '../checksum.ts';
import { checkAppend, checkBatch } from '../refusals.ts';
import { textOf } from '../serialize.ts';
import type { Connection } from './connection.ts';
import { storeMemories } from './memories.ts';
import { claimIn } from '../sql/rows.ts';

/** Stores a batch, or nothing of it. */
export function appendBatch(connection: Connection, batch: Batch, lease: Lease | undefined, now: () => number): void {
  const prepared = prepare(batch);
  connection.write(`append to run ${batch.runId}`, () => insert(connection.sql, prepared, lease, now()));
}

/** Stores several batches in one transaction. @returns The error of each batch; `undefined` for a stored one. */
export function appendBatches(
  connection: Connection,
  appends: readonly Append[],
  now: () => number,
): (PhasegateError | undefined)[] {
  const prepared = appends.map(({ batch, lease }) => ({ lease, ready: refusalOr(() => prepare(batch)) }));
  const one = appends.length === 1 && appends[0] ? `run ${appends[0].batch.runId}` : `${appends.length} runs`;
  return connection.write(`append to ${one}`, () =>
    prepared.map(({ lease, ready }) => {
      if (PhasegateError.is(ready)) return ready;
      return refusalOr(() => {
        insert(connection.sql, ready, lease, now());
        return undefined;
      });
    }),
  );
}

// --- internal ---

/** A batch as texts, made before the transaction, so that other processes wait for the disk only. */
interface Prepared {
  readonly batch: Batch;
  readonly records: readonly (readonly [seq: number, text: string])[];
  readonly infoText: string;
  readonly infoSum: number;
}

function prepare(batch: Batch): Prepared {
  checkBatch(batch);
  const infoText = textOf(batch.info);
  const records = batch.records.map((record) => [record.seq, textOf(record)] as const);
  return { batch, records, infoText, infoSum: checksumOf(infoText) };
}

/** Returns what a function returns, or the refusal that it throws. Other errors are thrown: SQLite may have rolled back everything. */
function refusalOr<T>(make: () => T): T | PhasegateError {
  try {
    return make();
  } catch (thrown) {
    if (PhasegateError.is(thrown)) return thrown;
    throw thrown;
  }
}

/** Inserts the rows of a batch. @throws a refusal, before it has changed anything */
function insert(sql: Connection['sql'], prepared: Prepared, lease: Lease | undefined, now: number): void {
  const { batch, records, infoText, infoSum } = prepared;
  const { runId, info, items, artifacts, memories = [] } = batch;
  const current = sql(CURRENT).get(runId);
  checkAppend(batch, lease, { seq: Number(current?.['seq'] ?? 0), lease: claimIn(current, runId) }, now);
  const known = current?.['key'];
  const run = typeof known === 'number' ? known : begin(sql, prepared);
  if (run === known) sql(UPDATE_RUN).run(info.seq, info.status, info.updatedAt, infoText, infoSum, run);
  if (info.status !== (current?.['status'] ?? 'running')) sql(READY).run(info.status === 'running' ? 0 : null, run);
  const insertRecord = sql(RECORD);
  let sum = Number(current?.['sum'] ?? 0);
  for (const [seq, text] of records) {
    sum = chainedChecksum(sum, text);
    insertRecord.run(run, seq, text, sum);
  }
  for (const item of items) {
    const text = textOf(item);
    sql(ITEM).run(item.id, run, item.openedAt, item.closedAt === undefined ? 1 : 0, text, checksumOf(text));
  }
  for (const { hash, content } of artifacts) {
    sql(ARTIFACT).run(hash, content);
    sql(USE).run(run, hash);
  }
  storeMemories(sql, memories);
}

/** Inserts the row of a new run. @returns Its key. */
function begin(sql: Connection['sql'], { batch: { runId, info }, infoText, infoSum }: Prepared): number {
  const { seq, pipeline, status, startedAt, updatedAt } = info;
  const values = [runId, seq, pipeline, status, startedAt, updatedAt, infoText, infoSum];
  return Number(sql(BEGIN).run(...values).lastInsertRowid);
}

// `sum` is that of the last record.
const CURRENT = `SELECT key, seq, status, holder, token, expires_at, ms,
  (SELECT sum FROM records WHERE records.key = (runs.key << 32) | runs.seq) AS sum
  FROM (SELECT ? AS wanted) LEFT JOIN runs ON id = wanted LEFT JOIN leases ON run_id = wanted`;
// If the row of a run was lost, its records must not become those of another.
const BEGIN = `INSERT INTO runs (key, id, seq, pipeline, status, started_at, updated_at, info, sum)
  VALUES (1 + max(coalesce((SELECT max(key) FROM runs), 0), coalesce((SELECT max(key) >> 32 FROM records), 0)),
    ?, ?, ?, ?, ?, ?, ?, ?)`;
// By key, and without the columns that never change, so that no index is touched.
const UPDATE_RUN = 'UPDATE runs SET seq = ?, status = ?, updated_at = ?, info = ?, sum = ? WHERE key = ?';
// Only if its status changes, as it is in an index.
const READY = 'UPDATE runs SET ready_at = ? WHERE key = ?';
const RECORD = 'INSERT INTO records (key, record, sum) VALUES ((? << 32) | ?, ?, ?)';
const ITEM = `INSERT INTO items (id, run, opened_at, open, item, sum) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id)
  DO UPDATE SET opened_at = excluded.opened_at, open = excluded.open, item = excluded.item, sum = excluded.sum`;
// A damaged content is replaced, so that no later run refers to it.
const ARTIFACT = `INSERT INTO artifacts (hash, content) VALUES (?, ?) ON CONFLICT (hash)
  DO UPDATE SET content = excluded.content WHERE artifacts.content <> excluded.content`;
const USE = `INSERT INTO uses (run, artifact) SELECT ?, key FROM artifacts WHERE hash = ?
  ON CONFLICT DO NOTHING`;
