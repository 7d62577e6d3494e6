/**
 * Removing of a run, with values that no other run refers to.
 *
 * @module
 */
import { liveLease } from '../lease-rules.ts';
import { runLeased } from '../refusals.ts';
import type { Connection } from './connection.ts';
import { claimIn, number } from '../sql/rows.ts';
import { LAST_SEQ } from './schema.ts';

/** Removes a run. @returns True if there was such a run. */
export function removeRun({ sql, write }: Connection, runId: string, now: () => number): boolean {
  return write(`remove run ${runId}`, () => {
    const lease = liveLease(claimIn(sql('SELECT * FROM leases WHERE run_id = ?').get(runId), runId), now());
    if (lease) throw runLeased('remove', lease);
    sql('DELETE FROM leases WHERE run_id = ?').run(runId);
    const row = sql('DELETE FROM runs WHERE id = ? RETURNING key').get(runId);
    if (!row) return false;
    const run = number(row, 'key');
    sql(`DELETE FROM records WHERE key BETWEEN ?1 << 32 AND (?1 << 32) | ${LAST_SEQ}`).run(run);
    for (const table of ['items', 'messages']) sql(`DELETE FROM ${table} WHERE run = ?`).run(run);
    sql(ORPHANS).run(run);
    sql('DELETE FROM uses WHERE run = ?').run(run);
    return true;
  });
}

// --- internal ---

const ORPHANS = `DELETE FROM artifacts WHERE key IN (
  SELECT artifact FROM uses AS mine WHERE run = ?1
    AND NOT EXISTS (SELECT 1 FROM uses WHERE artifact = mine.artifact AND run <> ?1))`;
