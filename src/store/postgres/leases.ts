/**
 * Leases as columns of runs. Rules are those of all stores: a row is read, and changed only if it is still as it was read.
 *
 * @module
 */
import { checkHeld, leaseOf, prolong, refusal, takeRun, type Claim, type Taking } from '../lease-rules.ts';
import type { RunStore } from '../port.ts';
import { checkRunId, isStoreBusy } from '../refusals.ts';
import { fingerprintText, listedIn } from '../sql/listed.ts';
import { claimIn, number } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import type { Ask } from './place.ts';
import { CLAIM, DUE, idOrNull, LISTED, nowIn, storable, TELL } from './selects.ts';

/** The methods of a store for leases. @param now The time; null for that of the database. */
export function leasesIn(
  { ask: askFor, attempt }: Connection,
  now: () => number | null,
): Pick<RunStore, 'acquire' | 'renew' | 'release' | 'suspend' | 'ready'> {
  /** Tokens of calls that have failed, and may be stored, as the server did not answer. The next call gets the lease that it has already. */
  const uncertain = new Map<string, Set<string>>();

  async function current(
    ask: Ask,
    runId: string,
  ): Promise<{ readonly claim: Claim | undefined; readonly now: number }> {
    const [row = {}] = await ask(CURRENT, [idOrNull(runId), now()]);
    return { claim: claimIn(row, runId), now: number(row, 'now') };
  }

  /** Replaces a claim by another. @returns False if it was not the current one any more. */
  async function replace(ask: Ask, before: Claim | undefined, after: Claim): Promise<boolean> {
    const { runId, token, expiresAt, ms } = after;
    const values = [runId, storable(after.holder), token, expiresAt, ms, before?.token ?? null];
    if (before) return (await ask(REPLACE, [...values, before.expiresAt])).length > 0;
    return (await ask(BEGIN, values.slice(0, 5))).length > 0;
  }

  return {
    async acquire(runId, holder, ms) {
      checkRunId(runId);
      const name = JSON.stringify([runId, holder]);
      const tokens = new Set(uncertain.get(name));
      uncertain.delete(name);
      const taking = await attempt(`acquire run ${runId}`, async (ask): Promise<Taking> => {
        for (;;) {
          const { claim, now: time } = await current(ask, runId);
          if (claim && tokens.has(claim.token)) return { type: 'taken', claim };
          const wanted = takeRun(claim, { runId, holder, ms }, time);
          if (wanted.type === 'taken') tokens.add(wanted.claim.token);
          else if (wanted.claim.expiresAt === claim?.expiresAt) return wanted;
          if (await replace(ask, claim, wanted.claim)) return wanted;
        }
      }).catch((error: unknown) => {
        if (isStoreBusy(error)) uncertain.set(name, new Set([...tokens, ...(uncertain.get(name) ?? [])]));
        throw error;
      });
      if (taking.type === 'refused') throw refusal(taking.claim);
      return leaseOf(taking.claim);
    },
    async renew(lease, ms) {
      return attempt(`keep run ${lease.runId}`, async (ask) => {
        for (;;) {
          const { claim, now: time } = await current(ask, lease.runId);
          const longer = prolong(claim, lease, ms, time);
          if (await replace(ask, claim, longer)) return leaseOf(longer);
        }
      });
    },
    async release({ runId, token }) {
      const action = `release run ${runId}`;
      const [released] = await askFor(action, RELEASE, [runId, token]);
      if (released?.['is_empty'] === true) await askFor(action, DELETE, [runId]);
    },
    async suspend(lease, until, heard) {
      const { runId, token } = lease;
      await attempt(`suspend run ${runId}`, async (ask, isAgain) => {
        const done = await ask(SUSPEND, [runId, token, until, heard]);
        if (done.length > 0) return;
        const { claim } = await current(ask, runId);
        // If an earlier try was done, nobody has the run, as it should be.
        if (claim || !isAgain) checkHeld('suspend', claim, lease);
      });
    },
    async ready(pipelines, limit, except = []) {
      const rows = await askFor('list the runs that are ready', READY, [
        now(),
        [...pipelines],
        except.map(fingerprintText),
        limit,
      ]);
      return rows.map((row) => listedIn(row, number(row, 'now')));
    },
  };
}

// --- internal ---

const CURRENT = `SELECT ${CLAIM}, ${nowIn(2)} AS now FROM (SELECT $1::text AS wanted) AS one LEFT JOIN phasegate.runs ON id = wanted`;

/** A run that somebody has, or had until the process was killed, is not suspended any more. */
const WAKE = "ready_at = CASE WHEN runs.status = 'running' THEN 0 END";
const REPLACE = `UPDATE phasegate.runs SET holder = $2, token = $3, expires_at = $4, ms = $5, ${WAKE}
  WHERE id = $1 AND token = $6 AND expires_at = $7 RETURNING key`;
const BEGIN = `INSERT INTO phasegate.runs (id, holder, token, expires_at, ms) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET holder = $2, token = $3, expires_at = $4, ms = $5, ${WAKE}
  WHERE runs.token IS NULL RETURNING key`;
const RELEASE = `UPDATE phasegate.runs SET holder = NULL, token = NULL, expires_at = NULL, ms = NULL
  WHERE id = $1 AND token = $2 RETURNING seq = 0 AS is_empty, CASE WHEN status = 'running' THEN ${TELL} END`;
/** The row of a run that had a lease, and no record. */
const DELETE = 'DELETE FROM phasegate.runs WHERE id = $1 AND seq = 0 AND token IS NULL';
const SUSPEND = `UPDATE phasegate.runs SET holder = NULL, token = NULL, expires_at = NULL, ms = NULL,
  ready_at = CASE WHEN status <> 'running' THEN NULL WHEN last_message > $4 THEN 0 ELSE $3::float8 END
  WHERE id = $1 AND token = $2 RETURNING key, CASE WHEN ready_at = 0 THEN ${TELL} END`;
const READY = `${LISTED} WHERE ${DUE} ORDER BY started_at, key LIMIT $4`;
