/**
 * Claims of the next run: one statement finds it, and acquires its lease. Rows that another claim has locked are skipped.
 *
 * @module
 */
import { newId } from '../../model/values/new-id.ts';
import type { ClaimedRun, RunStore } from '../port.ts';
import { isStoreBusy, misused } from '../refusals.ts';
import { fingerprintText, listedIn } from '../sql/listed.ts';
import { number, text, type Row } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import { CLAIM, DUE, nowIn, RUN, storable } from './selects.ts';

/** The method of a store that claims runs. @param now The time; null for that of the database. */
export function claimsIn({ attempt }: Connection, now: () => number | null): Required<Pick<RunStore, 'claim'>> {
  /** Tokens of claims that have failed, by holder. One may be stored, as the server did not answer: the next claim finds its run. */
  const uncertain = new Map<string, readonly string[]>();

  return {
    async claim({ pipelines, except, passed, holder, ms }) {
      if (!Number.isFinite(ms) || ms <= 0)
        throw misused(`Cannot claim a run as ${ms} is not a number of milliseconds above 0`);
      const tokens = [...(uncertain.get(holder) ?? [])];
      uncertain.delete(holder);
      const wish = [
        [...pipelines],
        except.map(fingerprintText),
        passed.map(({ runId }) => runId),
        passed.map(({ seq }) => seq),
        storable(holder),
        ms,
      ];
      try {
        return await attempt('claim a run', async (ask) => {
          const [known] = tokens.length > 0 ? await ask(AGAIN, [now(), tokens, ms]) : [];
          if (known) return claimedIn(known, holder);
          const token = newId();
          tokens.push(token);
          const [row] = await ask(NEXT, [now(), ...wish, token]);
          return row && claimedIn(row, holder);
        });
      } catch (error) {
        if (isStoreBusy(error)) uncertain.set(holder, [...tokens, ...(uncertain.get(holder) ?? [])]);
        throw error;
      }
    },
  };
}

// --- internal ---

function claimedIn(row: Row, holder: string): ClaimedRun {
  const run = listedIn(row, number(row, 'now'));
  const lease = {
    runId: run.runId,
    holder,
    token: text(row, 'new_token'),
    expiresAt: number(row, 'new_expiry'),
  };
  return { run, lease: Object.freeze(lease) };
}

/**
 * Claims a run. The row is locked before it is changed, and its conditions are checked again then. Rows that refer to it may be
 * inserted meanwhile, so that a message in progress does not hide it.
 */
const NEXT = `WITH next AS (
    SELECT key, ${RUN}, ${CLAIM}, ${nowIn(1)} AS now FROM phasegate.runs
    WHERE ${DUE} AND strpos(id, '/') = 0
      AND NOT EXISTS (SELECT FROM unnest($4::text[], $5::bigint[]) AS passed (run, last) WHERE run = id AND last = seq)
    ORDER BY started_at, key LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE phasegate.runs SET holder = $6, token = $8, expires_at = next.now + $7, ms = $7, ready_at = 0
  FROM next WHERE runs.key = next.key RETURNING next.*, runs.token AS new_token, runs.expires_at AS new_expiry`;

/** Finds the run of an earlier claim, and extends its lease. The lease that had expired before is not known any more. */
const AGAIN = `UPDATE phasegate.runs SET expires_at = ${nowIn(1)} + $3, ms = $3 WHERE token = ANY($2::text[])
  RETURNING ${RUN}, NULL AS token, ${nowIn(1)} AS now, token AS new_token, expires_at AS new_expiry`;
