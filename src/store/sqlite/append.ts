/**
 * Keeping a batch: one transaction, and as few statements as rows allow.
 *
 * @module
 */
import type { Batch, Lease } from '../port.ts';
import { checkAppend, checkBatch } from '../refusals.ts';
import { textOf } from '../text.ts';
import type { Connection } from './connection.ts';
import { claimIn, number } from './rows.ts';

/** Keeps a batch, or nothing of it. */
export function appendBatch(connection: Connection, batch: Batch, lease: Lease | undefined, now: () => number): void {
  checkBatch(batch);
  const { runId, info, items, artifacts } = batch;
  // Made before the transaction, so that others wait for the disk alone.
  const records = batch.records.map((record) => [record.seq, textOf(record)] as const);
  const infoText = textOf(info);
  const { sql } = connection;

  connection.write(`append to run ${runId}`, () => {
    const standing = sql(STANDING).get(runId);
    checkAppend(batch, lease, { seq: Number(standing?.['seq'] ?? 0), lease: claimIn(standing, runId) }, now());
    const row = sql(RUN).get(runId, info.seq, info.pipeline, info.status, info.startedAt, info.updatedAt, infoText);
    const run = row ? number(row, 'key') : 0;
    const keepRecord = sql(RECORD);
    for (const [seq, text] of records) keepRecord.run(run, seq, text);
    for (const item of items)
      sql(ITEM).run(item.id, run, item.openedAt, item.closedAt === undefined ? 1 : 0, textOf(item));
    for (const { hash, content } of artifacts) {
      sql(ARTIFACT).run(hash, content);
      sql(USE).run(run, hash);
    }
  });
}

// --- internal ---

const STANDING = `SELECT seq, holder, token, expires_at, ms FROM (SELECT ? AS wanted)
  LEFT JOIN runs ON id = wanted LEFT JOIN leases ON run_id = wanted`;
const RUN = `INSERT INTO runs (id, seq, pipeline, status, started_at, updated_at, info) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, pipeline = excluded.pipeline, status = excluded.status,
    started_at = excluded.started_at, updated_at = excluded.updated_at, info = excluded.info
  RETURNING key`;
const RECORD = 'INSERT INTO records (run, seq, record) VALUES (?, ?, ?)';
const ITEM = `INSERT INTO items (id, run, opened_at, open, item) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET opened_at = excluded.opened_at, open = excluded.open, item = excluded.item`;
const ARTIFACT = 'INSERT INTO artifacts (hash, content) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING';
const USE = `INSERT INTO uses (run, artifact) SELECT ?, key FROM artifacts WHERE hash = ?
  ON CONFLICT DO NOTHING`;
