/**
 * Construction of a pipeline from a parsed file.
 *
 * @module
 */
import { definePipeline, phase, type Pipeline } from '../../../model/definition/define.ts';
import type { AnyPhase, ReviewOptions } from '../../../model/handlers/phase.ts';
import type { Limits, Policy } from '../../../model/plan/policy-schema.ts';
import { policies } from '../../../model/plan/policy.ts';
import { buildCheck } from './build-check.ts';
import { milliseconds } from './build-command.ts';
import {
  buildBackoff,
  buildDuration,
  buildReviewer,
  buildTask,
  reviewerName,
  type ReviewFields,
} from './build-work.ts';
import { folderPhases } from './folder-phase.ts';
import type { PipelineFile } from './schema.ts';
import { workspacesOf } from './workspace-schema.ts';

/** Builds the pipeline. Throws the same errors as `definePipeline`. */
export function buildPipeline(file: PipelineFile, directory: string): Pipeline {
  const workspaces = workspacesOf(file.workspace, directory);
  return definePipeline({
    name: file.name,
    phases: workspaces
      ? folderPhases(file, workspaces, (review) => gateOf(review, directory))
      : file.phases.map((one) => buildPhase(one, directory)),
    policy: buildPolicy(file.policy),
    limits: file.limits && buildLimits(file.limits),
    concurrency: file.concurrency,
    version: file.version,
  });
}

// --- internal ---

type PhaseFields = PipelineFile['phases'][number];
type PolicyFields = Exclude<NonNullable<PipelineFile['policy']>, string>;

function buildPhase({ name, tasks, after, mode, review, version }: PhaseFields, directory: string): AnyPhase {
  return phase(name, {
    tasks: tasks.map((one) => buildTask(one.name, one, directory)),
    after,
    mode,
    review: review && buildReview(review, directory),
    version,
  });
}

function buildReview(fields: ReviewFields, directory: string): ReviewOptions<unknown, unknown> {
  const { checks = [], by = [] } = fields;
  const reviewers = Array.isArray(by) ? by : [by];
  return {
    ...gateOf(fields, directory),
    checks: checks.map((one) => buildCheck(one, directory)),
    by: reviewers.map((one, index) => buildReviewer(reviewerName(one, index), one, directory)),
  };
}

/** Builds the options of a gate besides its checks and reviewers. */
function gateOf(fields: ReviewFields, directory: string): Omit<ReviewOptions<unknown, unknown>, 'checks' | 'by'> {
  const { checks: _, by: __, reflect, reviewBackoff, ...gate } = fields;
  return {
    ...gate,
    ...(reviewBackoff && { reviewBackoff: buildBackoff(reviewBackoff) }),
    reflect: reflect && buildTask(reflect.name ?? 'reflect', reflect, directory),
  };
}

function buildLimits({ deadlineMs, ...rest }: NonNullable<PipelineFile['limits']>): Limits {
  return { ...buildDuration(rest), ...(deadlineMs !== undefined && { deadlineMs: milliseconds(deadlineMs) }) };
}

function buildPolicy(policy: PipelineFile['policy']): Policy | undefined {
  if (policy === undefined || typeof policy === 'string') return policy && policies[policy];
  const { reviewBackoff, limits, ...rest }: PolicyFields = policy;
  return {
    ...rest,
    ...(reviewBackoff && { reviewBackoff: buildBackoff(reviewBackoff) }),
    ...(limits && { limits: buildLimits(limits) }),
  };
}
