/**
 * Rehearsals of a pipeline without a script: every way in which one gate can decide, and gates that press on.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { coverageOf, type Coverage } from '../../projections/coverage/coverage.ts';
import { rehearse } from '../rehearsal/rehearse.ts';
import { pressBounds, requireBounds, type BoundsReport } from './expect-bounds.ts';
import type { OwnSteps } from './pressing.ts';
import { singleScript, singleStories } from './single-stories.ts';

/** The result of {@link rehearseAll}. */
export interface RehearsedPipeline {
  readonly rehearsals: number;
  /** Rehearsals that did not end, by name, with the reason. */
  readonly stuck: readonly { readonly name: string; readonly why: string }[];
  readonly bounds: BoundsReport;
  /** The coverage of all rehearsals. */
  readonly coverage: Coverage;
}

/**
 * Rehearses a pipeline with sample data: each gate decides once, and always, in every way; then gates press on until all budgets are spent.
 *
 * A person who does not answer is silent only if the question expires.
 *
 * @throws PhasegateError `BOUND_EXCEEDED` as `expectBounds` does; `SCRIPT_INVALID` if a schema has no sample.
 */
export async function rehearseAll<O, I>(pipeline: Pipeline<O, I>, own: OwnSteps = {}): Promise<RehearsedPipeline> {
  requireBounds(pipeline);
  const runs: (readonly RunRecord[])[] = [];
  const stuck: { readonly name: string; readonly why: string }[] = [];
  const stories = singleStories(pipeline);
  for (const story of stories) {
    try {
      runs.push((await rehearse<O, unknown>(pipeline, singleScript(pipeline, story, own))).records);
    } catch (error) {
      if (!PhasegateError.is(error) || error.code !== 'REHEARSAL_STUCK') throw error;
      // A question without an expiry waits for ever, as it should.
      if (story.act.type !== 'silence') stuck.push({ name: story.name, why: error.message });
    }
  }
  const bounds = await pressBounds(pipeline, own, (records) => runs.push(records));
  return { rehearsals: stories.length + bounds.tries, stuck, bounds, coverage: coverageOf(pipeline, runs) };
}
