/**
 * Construction of a pipeline of commands from a parsed file.
 *
 * @module
 */
import { command } from '../../../actors/command/command.ts';
import { definePipeline, phase, task, type Pipeline } from '../../../model/definition/define.ts';
import type { AnyPhase, ReviewOptions } from '../../../model/handlers/phase.ts';
import type { Inputs, RetryPolicy, Task } from '../../../model/handlers/task.ts';
import type { Backoff, Limits, Policy } from '../../../model/plan/policy-schema.ts';
import { policies } from '../../../model/plan/policy.ts';
import { buildCheck } from './build-check.ts';
import { lineOf, milliseconds, optionsOf } from './build-command.ts';
import type { Duration } from './command-schema.ts';
import type { PipelineFile } from './schema.ts';

/** Builds the pipeline. Throws the same errors as `definePipeline`. */
export function buildPipeline(file: PipelineFile, directory: string): Pipeline {
  return definePipeline({
    name: file.name,
    phases: file.phases.map((one) => buildPhase(one, directory)),
    policy: buildPolicy(file.policy),
    limits: file.limits && buildLimits(file.limits),
    concurrency: file.concurrency,
    version: file.version,
  });
}

// --- internal ---

type PhaseFields = PipelineFile['phases'][number];
type ReviewFields = NonNullable<PhaseFields['review']>;
type BackoffFields = NonNullable<ReviewFields['reviewBackoff']>;
type PolicyFields = Exclude<NonNullable<PipelineFile['policy']>, string>;
type WorkFields = PhaseFields['tasks'][number] | Exclude<NonNullable<ReviewFields['by']>, readonly unknown[]>;

function buildPhase({ name, tasks, after, mode, review, version }: PhaseFields, directory: string): AnyPhase {
  return phase(name, {
    tasks: tasks.map((one) => buildTask(one.name, one, directory)),
    after,
    mode,
    review: review && buildReview(review, directory),
    version,
  });
}

function buildTask(name: string, fields: WorkFields, directory: string): Task<string, unknown, Inputs> {
  const { description, retry, estimate, timeout, version, output = 'text' } = fields;
  return task(name, {
    description,
    version,
    // The timeout is an option of the task, as the plan shows it there.
    run: command(lineOf(fields), { ...optionsOf({ ...fields, timeout: undefined }, directory), output }),
    after: 'after' in fields ? fields.after : undefined,
    retry: retry && buildRetry(retry),
    ...(timeout !== undefined && { timeout: milliseconds(timeout) }),
    estimate: estimate && buildDuration(estimate),
  });
}

function buildReview(fields: ReviewFields, directory: string): ReviewOptions<unknown, unknown> {
  const { checks = [], by = [], reflect, reviewBackoff, ...gate } = fields;
  const reviewers = Array.isArray(by) ? by : [by];
  return {
    ...gate,
    ...(reviewBackoff && { reviewBackoff: buildBackoff(reviewBackoff) }),
    checks: checks.map((one) => buildCheck(one, directory)),
    by: reviewers.map((one, index) =>
      buildTask(one.name ?? (index === 0 ? 'review' : `review ${index + 1}`), one, directory),
    ),
    reflect: reflect && buildTask(reflect.name ?? 'reflect', reflect, directory),
  };
}

function buildRetry({ attempts, backoff }: NonNullable<WorkFields['retry']>): RetryPolicy {
  return { attempts, backoff: backoff && buildBackoff(backoff) };
}

function buildBackoff({ first, factor, max }: BackoffFields): Backoff {
  return {
    ...(first !== undefined && { first: milliseconds(first) }),
    ...(factor !== undefined && { factor }),
    ...(max !== undefined && { max: milliseconds(max) }),
  };
}

/** Converts the duration of an object to milliseconds. */
function buildDuration<T extends object>({ durationMs, ...rest }: T & { readonly durationMs?: Duration | undefined }) {
  return { ...rest, ...(durationMs !== undefined && { durationMs: milliseconds(durationMs) }) };
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
