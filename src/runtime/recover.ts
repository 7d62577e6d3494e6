/**
 * Runs that were left when a program ended.
 *
 * @module
 */
import type { Pipeline } from '../model/define.ts';
import { PhasegateError } from '../model/errors.ts';
import type { RunStore } from '../store/port.ts';
import { resumeRun, type ResumeOptions } from './resume.ts';
import type { Run } from './run.ts';

/** A run that could not be recovered. */
export interface Unrecovered {
  readonly runId: string;
  readonly error: unknown;
}

/**
 * Goes on with every run that has not ended and that no process works on: for the start of a program.
 *
 * @param pipelines Found by their names. Runs of others are left alone.
 */
export async function recoverAll(
  store: RunStore,
  pipelines: readonly (Pipeline<unknown, never> | Pipeline<unknown>)[],
  options: ResumeOptions = {},
): Promise<{ readonly runs: readonly Run<unknown>[]; readonly failed: readonly Unrecovered[] }> {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.name, pipeline]));
  const left = await store.runs({ status: ['running'], leased: false });
  const runs: Run<unknown>[] = [];
  const failed: Unrecovered[] = [];
  for (const { runId, pipeline: name } of left.toReversed()) {
    const pipeline = byName.get(name);
    if (!pipeline) continue;
    try {
      // One after the other: a run that is taken by another process meanwhile is not ours.
      runs.push(await resumeRun(store, runId, pipeline, options));
    } catch (error) {
      if (!(PhasegateError.is(error) && error.code === 'RUN_LEASED')) failed.push({ runId, error });
    }
  }
  return { runs, failed };
}
