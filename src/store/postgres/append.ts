/**
 * Storing of batches: one statement, which checks the lease and the number of the last record in the row that it changes.
 *
 * @module
 */
import { newId } from '../../model/values/new-id.ts';
import { checksumOf } from '../checksum.ts';
import type { Batch, Lease } from '../port.ts';
import { checkAppend, checkBatch, isStoreBusy } from '../refusals.ts';
import { textOf } from '../serialize.ts';
import { claimIn, number } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import { storeMemories } from './memories.ts';
import type { Ask } from './place.ts';
import { CLAIM, nowIn, TELL } from './selects.ts';

/** Returns the function that stores batches. @param now The time for leases; null for that of the database. */
export function appenderTo(
  { attempt, transaction }: Connection,
  now: () => number | null,
): (batch: Batch, lease?: Lease) => Promise<void> {
  /**
   * Marks of batches that may have been stored, as the server did not answer. The caller appends such a batch again, and finds it by its
   * mark in the row of the run.
   */
  const uncertain = new WeakMap<Batch, string>();

  return async (batch, lease) => {
    checkBatch(batch);
    const mark = uncertain.get(batch) ?? newId();
    uncertain.delete(batch);
    const { sql, values } = statementFor(batch, lease, mark);
    const action = `append to run ${batch.runId}`;
    const { memories = [] } = batch;

    /** @returns False if an earlier try has stored it. @throws the reason for which it is refused */
    async function send(ask: Ask): Promise<boolean> {
      for (;;) {
        const [stored] = await ask(sql, [...values, now()]);
        if (stored) return true;
        const [row = {}] = await ask(REFUSED, [batch.runId, mark, now()]);
        if (row['is_there'] === true) return false;
        const state = { seq: Number(row['seq'] ?? 0), lease: claimIn(row, batch.runId) };
        checkAppend(batch, lease, state, number(row, 'now'));
        // The run has changed since, and the batch fits now.
      }
    }

    try {
      if (memories.length === 0) await attempt(action, send);
      else
        await transaction(action, async (ask) => {
          if (await send(ask)) await storeMemories(ask, memories);
        });
    } catch (error) {
      if (isStoreBusy(error)) uncertain.set(batch, mark);
      throw error;
    }
  };
}

// --- internal ---

/** Only the latest state of an item is stored, as one statement may change a row once. */
function statementFor({ runId, records, info, items, artifacts }: Batch, lease: Lease | undefined, mark: string) {
  const infoText = textOf(info);
  const recordTexts = records.map(textOf);
  const states = [...new Map(items.map((item) => [item.id, item])).values()];
  const itemTexts = states.map(textOf);
  // In one order, so that two batches with the same values do not wait for each other.
  const contents = artifacts.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  const { pipeline, status, startedAt, updatedAt } = info;
  const first = records[0]?.seq ?? 1;
  return {
    sql: (first === 1 && !lease ? BEGIN : CONTINUE)[contents.length > 0 ? 'withContents' : 'plain'],
    values: [
      runId,
      first,
      lease?.token ?? null,
      info.seq,
      pipeline,
      status,
      startedAt,
      updatedAt,
      infoText,
      checksumOf(infoText),
      mark,
      recordTexts,
      recordTexts.map(checksumOf),
      states.map(({ id }) => id),
      states.map(({ openedAt }) => openedAt),
      states.map(({ closedAt }) => closedAt === undefined),
      itemTexts,
      itemTexts.map(checksumOf),
      contents.map(({ hash }) => hash),
      contents.map(({ content }) => content),
    ],
  };
}

const READY = `CASE WHEN $6 <> 'running' THEN NULL WHEN runs.status = 'running' THEN runs.ready_at ELSE 0 END`;

/** Updates the row of a run if the batch follows its last record, and the lease is valid. A row that changes meanwhile is checked again. */
const UPDATE = `UPDATE phasegate.runs SET seq = $4, pipeline = $5, status = $6, started_at = $7, updated_at = $8, info = $9, sum = $10,
    appended = $11, ready_at = ${READY}
  WHERE id = $1 AND seq = $2::bigint - 1
    AND CASE WHEN $3::text IS NULL THEN token IS NULL OR expires_at <= ${nowIn(21)} ELSE token = $3 END
  RETURNING key`;

/** Begins a run that nobody has. Its row may be there from a lease. */
const INSERT = `INSERT INTO phasegate.runs (id, seq, pipeline, status, started_at, updated_at, info, sum, appended, ready_at)
  SELECT $1, $4, $5, $6, $7, $8, $9, $10, $11, CASE WHEN $6 = 'running' THEN 0 END WHERE $2::bigint = 1 AND $3::text IS NULL
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, pipeline = excluded.pipeline, status = excluded.status,
    started_at = excluded.started_at, updated_at = excluded.updated_at, info = excluded.info, sum = excluded.sum,
    appended = excluded.appended, ready_at = excluded.ready_at
    WHERE runs.seq = 0 AND (runs.token IS NULL OR runs.expires_at <= ${nowIn(21)})
  RETURNING key`;

/**
 * Replaces damaged contents, so that no later run refers to them. An upsert would do so too, but it locks contents that are whole. Batches
 * without contents leave it out, as a database whose transactions are serializable finds conflicts of all that reads a table.
 */
const MEND = `mended_artifacts AS (
    UPDATE phasegate.artifacts SET content = given.content FROM run, unnest($19::text[], $20::text[]) AS given (hash, content)
    WHERE artifacts.hash = given.hash AND artifacts.content <> given.content),`;

/** The statements with all rows of a batch, and those of one with contents. Without a row of the run, they store nothing. */
const CONTINUE = { plain: withRows(UPDATE, ''), withContents: withRows(UPDATE, MEND) };
const BEGIN = { plain: withRows(INSERT, ''), withContents: withRows(INSERT, MEND) };

function withRows(run: string, mend: string): string {
  return `WITH run AS (${run}),
  new_records AS (
    INSERT INTO phasegate.records (run, seq, record, sum)
    SELECT key, $2::bigint - 1 + place, record, sum
    FROM run, unnest($12::text[], $13::bigint[]) WITH ORDINALITY AS given (record, sum, place)),
  new_items AS (
    INSERT INTO phasegate.items (id, run, opened_at, open, item, sum)
    SELECT id, key, opened_at, open, item, sum
    FROM run, unnest($14::text[], $15::float8[], $16::boolean[], $17::text[], $18::bigint[]) AS given (id, opened_at, open, item, sum)
    ON CONFLICT (id) DO UPDATE SET opened_at = excluded.opened_at, open = excluded.open, item = excluded.item, sum = excluded.sum),
  new_artifacts AS (
    INSERT INTO phasegate.artifacts (hash, content)
    SELECT hash, content FROM run, unnest($19::text[], $20::text[]) AS given (hash, content) ON CONFLICT DO NOTHING),
  ${mend}
  new_uses AS (
    INSERT INTO phasegate.uses (run, hash) SELECT key, hash FROM run, unnest($19::text[]) AS given (hash) ON CONFLICT DO NOTHING)
  SELECT key, CASE WHEN $6 = 'running' AND $3::text IS NULL THEN ${TELL} END FROM run`;
}

const REFUSED = `SELECT seq::float8 AS seq, appended = $2 AS is_there, ${CLAIM}, ${nowIn(3)} AS now
  FROM (SELECT $1::text AS wanted) AS one LEFT JOIN phasegate.runs ON id = wanted`;
