/**
 * Rehearsals of a pipeline without a script: every way in which one gate can decide, and gates that press on.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { coverageOf, type Coverage } from '../../projections/coverage/coverage.ts';
import { checkPipeline } from '../../runtime/run.ts';
import { rehearseUnnoted } from '../rehearsal/rehearse.ts';
import { requireOptions } from '../rehearsal/script-problems.ts';
import { StuckError } from '../rehearsal/stuck-error.ts';
import { pressBounds, requireBounds, type BoundsReport } from './expect-bounds.ts';
import { OWN_STEPS, type PressingSteps } from './pressing.ts';
import { findingsOf, type RehearsalFinding, type StuckRehearsal } from './rehearsal-findings.ts';
import { singleScript, singleStories } from './single-stories.ts';

/** The result of {@link rehearseAll}. */
export interface RehearsedPipeline {
  readonly rehearsals: number;
  /** Problems, such as a gate that never opens; then notices, such as one that never sends back an earlier phase. */
  readonly findings: readonly RehearsalFinding[];
  /** Phases that wait for a person without end, as their questions never expire. */
  readonly waits: readonly string[];
  readonly bounds: BoundsReport;
  /** The coverage of all rehearsals. */
  readonly coverage: Coverage;
}

/**
 * Rehearses a pipeline with sample data: each gate decides once, and always, in every way. Its workers fail, and never end. Limits are
 * spent. Then gates press on until all budgets are spent.
 *
 * Tasks that are `asDefined()` are the pipeline's own: findings tell if they use the changes that a gate demands.
 *
 * @throws PhasegateError `BOUND_EXCEEDED` as `expectBounds` does; `SCRIPT_INVALID` if a schema has no sample.
 */
export async function rehearseAll<O, I>(pipeline: Pipeline<O, I>, own: PressingSteps = {}): Promise<RehearsedPipeline> {
  checkPipeline(pipeline);
  requireOptions('rehearse a pipeline', own, OWN_STEPS);
  requireBounds(pipeline);
  const runs: (readonly RunRecord[])[] = [];
  const stuck: StuckRehearsal[] = [];
  const waits = new Set<string>();
  const stories = singleStories(pipeline);
  for (const story of stories) {
    const { name, phase, act } = story;
    try {
      runs.push((await rehearseUnnoted<O, unknown>(pipeline, singleScript(pipeline, story, own))).records);
    } catch (error) {
      if (!(error instanceof StuckError)) throw error;
      // A question without an expiry waits for ever, as it should.
      if (act.type === 'silence' || act.type === 'unanswered review') waits.add(phase ?? '');
      else stuck.push({ name, phase, waitsFor: error.waitsFor });
    }
  }
  const bounds = await pressBounds(pipeline, own, (records) => runs.push(records));
  const coverage = coverageOf(pipeline, runs);
  const findings = findingsOf(pipeline.plan, { stuck, runs, coverage });
  return { rehearsals: stories.length + bounds.tries, findings, waits: [...waits], bounds, coverage };
}
