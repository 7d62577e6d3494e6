/**
 * Continuing of a run with the version of its pipeline that agrees with it.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { ClaimedRun, ListedRun, RunStore } from '../../store/port.ts';
import { giveBack } from '../records/release-lease.ts';
import type { ResumeOptions } from '../resume.ts';
import type { Run } from '../run.ts';
import { resumeClaimed, resumeRun } from '../start.ts';

/**
 * Resumes a run, which is let go whenever it only waits.
 *
 * @param claimed The run with its lease, if it was claimed. The lease is released on an error.
 * @param pipelines Versions to try, the most likely first.
 * @returns `undefined` if there is no version.
 * @throws the error of `resumeRun` with the last version
 */
export async function continueRun(
  store: RunStore,
  listed: ListedRun,
  claimed: ClaimedRun | undefined,
  pipelines: readonly (Pipeline<unknown, never> | Pipeline<unknown>)[],
  options: ResumeOptions,
): Promise<Run<unknown> | undefined> {
  let isOurs = false;
  try {
    for (const [at, pipeline] of pipelines.entries()) {
      try {
        const wanted = { ...options, whileWaiting: 'suspend' } as const;
        const resuming = claimed
          ? resumeClaimed(store, claimed, pipeline, wanted)
          : resumeRun(store, listed.runId, pipeline, wanted);
        const run = await resuming;
        isOurs = true;
        return run;
      } catch (error) {
        if (at === pipelines.length - 1 || !hasCode(error, 'RUN_CHANGED')) throw error;
      }
    }
    return undefined;
  } finally {
    if (claimed && !isOurs) await giveBack(store, claimed.lease);
  }
}
