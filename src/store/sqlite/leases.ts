/**
 * Leases as rows.
 *
 * @module
 */
import { checkHeld, leaseOf, prolong, refusal, takeRun, type Claim } from '../lease-rules.ts';
import type { RunStore } from '../port.ts';
import { checkRunId } from '../refusals.ts';
import type { Connection } from './connection.ts';
import { fingerprintText, listedIn } from '../sql/listed.ts';
import { LISTED } from './selects.ts';
import { claimIn } from '../sql/rows.ts';

/**
 * The methods of a store for leases. A lease only has to be known to other processes. A loss of power ends all of them, so leases need no sync.
 */
export function leasesIn(
  { sql, read, writeUnsynced }: Connection,
  now: () => number,
): Pick<RunStore, 'acquire' | 'renew' | 'release' | 'suspend' | 'ready'> {
  function current(runId: string): Claim | undefined {
    return claimIn(sql('SELECT * FROM leases WHERE run_id = ?').get(runId), runId);
  }

  function save({ runId, holder, token, expiresAt, ms }: Claim): void {
    sql('INSERT OR REPLACE INTO leases (run_id, holder, token, expires_at, ms) VALUES (?, ?, ?, ?, ?)').run(
      runId,
      holder,
      token,
      expiresAt,
      ms,
    );
  }

  return {
    acquire(runId, holder, ms) {
      checkRunId(runId);
      const { type, claim } = writeUnsynced(`acquire run ${runId}`, () => {
        const taking = takeRun(current(runId), { runId, holder, ms }, now());
        save(taking.claim);
        if (taking.type === 'taken') sql(WAKE).run(runId);
        return taking;
      });
      if (type === 'refused') throw refusal(claim);
      return leaseOf(claim);
    },
    renew(lease, ms) {
      return writeUnsynced(`keep run ${lease.runId}`, () => {
        const claim = prolong(current(lease.runId), lease, ms, now());
        save(claim);
        return leaseOf(claim);
      });
    },
    release({ runId, token }) {
      writeUnsynced(`release run ${runId}`, () =>
        sql('DELETE FROM leases WHERE run_id = ? AND token = ?').run(runId, token),
      );
    },
    suspend(lease, until, heard) {
      const { runId } = lease;
      writeUnsynced(`suspend run ${runId}`, () => {
        checkHeld('suspend', current(runId), lease);
        sql('DELETE FROM leases WHERE run_id = ?').run(runId);
        sql(SUSPEND).run(Number.isFinite(until) ? until : null, runId, heard);
      });
    },
    ready(pipelines, limit, except = []) {
      return read('list the runs that are ready', () => {
        const time = now();
        return sql(READY)
          .all(JSON.stringify(pipelines), time, time, JSON.stringify(except.map(fingerprintText)), limit)
          .map((row) => listedIn(row, time));
      });
    },
  };
}

// --- internal ---

/** A run that somebody has, or had until the process was killed, is not suspended any more. A place of a message stays. */
const WAKE = "UPDATE runs SET ready_at = 0 WHERE id = ? AND status = 'running' AND coalesce(ready_at > 0, 1)";
const SUSPEND = `UPDATE runs SET ready_at = ?1 WHERE id = ?2 AND status = 'running' AND -ready_at <= ?3
  AND NOT EXISTS (SELECT 1 FROM messages WHERE run = runs.key AND messages.id > ?3)`;
const READY = `${LISTED} WHERE pipeline IN (SELECT value FROM json_each(?)) AND ready_at <= ? AND status = 'running'
  AND coalesce(expires_at <= ?, 1) AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(info, value)) ORDER BY started_at, key LIMIT ?`;
