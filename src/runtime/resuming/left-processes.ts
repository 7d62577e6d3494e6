/**
 * Processes that an earlier process has left behind at work on a run.
 *
 * @module
 */
import { endLeftGroups, processesOfRunAtRest } from '../../actors/command/process-groups.ts';
import { readHolder } from '../../store/holder.ts';
import type { ListedRun } from '../../store/port.ts';

/**
 * Ends what an earlier process has left of the programs of a run, and resolves when they have ended. Those of another machine cannot be
 * ended: then a note goes to standard error.
 *
 * @param run As listed before its lease was acquired.
 */
export async function endLeftProcesses({ runId, lease, lapsed }: ListedRun): Promise<void> {
  const holder = (lease ?? lapsed)?.holder ?? '';
  const previous = readHolder(holder);
  if (!previous && /^process \d{1,10} on /u.test(holder))
    console.error(
      `phasegate: ${holder} has not released run ${runId}. Programs that it has started may still be at work there, and cannot be ended from here.`,
    );
  await processesOfRunAtRest(runId);
  await endLeftGroups(runId, previous && { pid: previous.pid, start: previous.start ?? '' });
}
