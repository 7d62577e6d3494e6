/**
 * Cancelling of a stored run, without its pipeline.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunResult } from '../projections/run/run-result.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import { readRun } from '../store/read-run.ts';
import { runUnknown } from '../store/refusals.ts';
import { openChildren } from './child-ids.ts';
import { definitionOf } from '../model/events/run-definition.ts';
import { endOf } from '../model/events/run-end.ts';
import type { ResumeOptions } from './resume.ts';
import { cancelledAtOnce, idlePipeline } from './resuming/idle-pipeline.ts';
import { patientStore } from './records/patient-store.ts';
import { starter } from './start.ts';

/**
 * Cancels a run that no process works on, and the runs that its tasks have started. None of its work runs, so its pipeline is not
 * needed.
 *
 * To cancel a run that a process works on, post a message to that process: `store.post({ kind: 'cancel', … })`.
 *
 * @throws PhasegateError `RUN_UNKNOWN`, `RUN_ENDED`, `RUN_LEASED` if a process works on it.
 */
export async function cancelRun(
  given: RunStore,
  runId: string,
  reason = 'cancelled',
  options: Pick<ResumeOptions, 'clock' | 'holder'> = {},
): Promise<RunResult> {
  const store = patientStore(given);
  const records = await readRun(store, runId);
  const first = records[0]?.event;
  if (first?.type !== 'run.started') throw runUnknown('cancel', runId);
  const { plan } = definitionOf(records, first);
  // Children first: a run that has ended cannot be cancelled again, and nobody would end its children.
  for (const child of await openChildren(store, runId)) await cancelChild(store, child, reason, options);
  const end = endOf(records);
  if (end) throw runEnded({ runId, status: end.status });
  try {
    // The machine cancels it before any work begins, as only the machine knows the state of the phases.
    const run = await starter.resume(store, runId, idlePipeline(plan), { ...options, ...cancelledAtOnce(reason) });
    return await run.result;
  } catch (error) {
    // Another process has ended it meanwhile.
    if (hasCode(error, 'RUN_ENDED')) return cancelRun(store, runId, reason, options);
    throw error;
  }
}

/** The error for a run that is not cancelled as it has ended. */
export function runEnded({ runId, status }: Pick<ListedRun, 'runId' | 'status'>): PhasegateError {
  return new PhasegateError('RUN_ENDED', `Cannot cancel run ${runId} as it has ended: ${status}`, {
    hint: 'There is nothing left to cancel.',
  });
}

// --- internal ---

/** Cancels a run that a task has started, unless it has ended meanwhile. */
async function cancelChild(...[store, runId, reason, options]: Parameters<typeof cancelRun>): Promise<void> {
  try {
    await cancelRun(store, runId, reason, options);
  } catch (error) {
    if (!hasCode(error, 'RUN_ENDED')) throw error;
  }
}
