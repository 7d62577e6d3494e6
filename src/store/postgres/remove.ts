/**
 * Removing of a run, with values that no other run refers to.
 *
 * @module
 */
import { liveLease } from '../lease-rules.ts';
import { runLeased } from '../refusals.ts';
import { claimIn, number } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import { CLAIM, idOrNull, nowIn } from './selects.ts';

/** Removes a run. @returns True if there was such a run. */
export async function removeRun(
  { transaction }: Connection,
  runId: string,
  now: () => number | null,
): Promise<boolean> {
  // An earlier try may have removed it, and another process may have begun a run with its id since.
  let found = false;
  let key: unknown;
  await transaction(`remove run ${runId}`, async (ask) => {
    const [row] = await ask(RUN, [idOrNull(runId), now()]);
    if (!row || (key !== undefined && row['key'] !== key)) return;
    ({ key } = row);
    const lease = liveLease(claimIn(row, runId), number(row, 'now'));
    if (lease) throw runLeased('remove', lease);
    found = number(row, 'seq') > 0;
    const used = await ask('SELECT hash FROM phasegate.uses WHERE run = $1', [row['key']]);
    await ask('DELETE FROM phasegate.runs WHERE key = $1', [row['key']]);
    await ask(ORPHANS, [used.map(({ hash }) => hash)]);
  });
  return found;
}

// --- internal ---

const RUN = `SELECT key, seq::float8 AS seq, ${CLAIM}, ${nowIn(2)} AS now FROM phasegate.runs WHERE id = $1 FOR UPDATE`;
const ORPHANS = `DELETE FROM phasegate.artifacts WHERE hash = ANY($1::text[])
  AND NOT EXISTS (SELECT FROM phasegate.uses WHERE uses.hash = artifacts.hash)`;
