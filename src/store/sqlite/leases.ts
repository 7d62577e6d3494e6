/**
 * Leases as rows.
 *
 * @module
 */
import { leaseOf, prolong, refusal, takeRun, type Claim } from '../lease-rules.ts';
import type { RunStore } from '../port.ts';
import { checkRunId } from '../refusals.ts';
import type { Connection } from './connection.ts';
import { claimIn } from './rows.ts';

/**
 * The methods of a store for leases. A lease only has to be known to other processes. A loss of power ends all of them, so leases need no sync.
 */
export function leasesIn(
  { sql, writeUnsynced }: Connection,
  now: () => number,
): Pick<RunStore, 'acquire' | 'renew' | 'release'> {
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
  };
}
