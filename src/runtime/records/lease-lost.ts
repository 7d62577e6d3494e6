/**
 * The error of a process that has lost its run to another one.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Lease, ListedRun, RunStore } from '../../store/port.ts';

/**
 * Creates the error, with the fate of the run as far as the store knows it.
 *
 * @param lease The lease that was lost.
 * @param cause The error of the store, `LEASE_LOST`.
 */
export async function leaseLostError(
  store: Pick<RunStore, 'run'>,
  { runId, holder }: Pick<Lease, 'runId' | 'holder'>,
  cause: unknown,
): Promise<PhasegateError> {
  const found = await describeRun(store, runId);
  const problem = `Cannot continue run ${runId} as ${holder} has lost its lease: ${found}; this process has stopped`;
  return new PhasegateError('LEASE_LOST', problem, {
    hint: 'Nothing needs repair: its store has the status of the run. Do not block the event loop for longer than a lease lasts.',
    cause,
  });
}

/** Creates the error of a process that no longer knows if it has its run. @param cause The error of the store. */
export function leaseUnsureError(runId: string, cause: unknown): PhasegateError {
  const problem = `Cannot continue run ${runId} as its lease is over and its store does not renew it`;
  return new PhasegateError('STORE_FAILED', problem, {
    hint: 'Repair or free the store, then resume the run: all its published records are stored.',
    cause,
  });
}

// --- internal ---

async function describeRun(store: Pick<RunStore, 'run'>, runId: string): Promise<string> {
  try {
    const run = await store.run(runId);
    return run ? describeListed(run) : 'the run was removed';
  } catch {
    return 'another process has resumed it, or it was removed';
  }
}

function describeListed({ status, lease }: Pick<ListedRun, 'status' | 'lease'>): string {
  if (lease) return `another process has resumed it, ${lease.holder}`;
  return status === 'running'
    ? 'another process has resumed it, and has released it again'
    : `another process has resumed it, to its end: ${status}`;
}
