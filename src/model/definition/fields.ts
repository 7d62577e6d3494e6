/**
 * Validation of a definition's shape, field by field, before anything is read from it.
 *
 * @module
 */
import { z } from 'zod';
import { errorInfo } from '../errors/phasegate-error.ts';
import { estimateSchema, manySchema, modeSchema } from '../plan/options.ts';
import { backoffSchema, gatePolicySchema, limitsSchema, policySchema } from '../plan/policy-schema.ts';
import { unstartable } from '../handlers/child-pipeline.ts';
import { isSchema } from '../values/standard-schema.ts';
import { problemsOf } from './field-problem.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import { namesOf } from './shorthand.ts';
import { structureProblems } from './structure.ts';
import { graphOf } from '../values/graph.ts';
import { validPart } from './valid-part.ts';

/**
 * Returns every field that has the wrong shape. If there are any, it adds the structural problems of the valid part, so that the
 * user sees everything at once.
 */
export function shapeProblems(definition: unknown): readonly Problem[] {
  try {
    const result = pipelineShape.safeParse(definition);
    if (result.success) return [];
    const problems = relevant(result.error.issues).flatMap((issue) => problemsOf(issue, definition, pipelineShape));
    const sound = validPart(definition, result.error.issues);
    const nodes = sound?.phases.map((one) => ({ name: one.name, after: namesOf(one.options.after) }));
    // Phases may have other numbers in the valid part, so their paths would be wrong.
    const more = sound && nodes ? structureProblems(sound, nodes, graphOf(nodes)) : [];
    return [...problems, ...more.map((problem) => ({ ...problem, path: undefined }))];
  } catch (thrown) {
    const message = `the definition throws when it is read: ${errorInfo(thrown).message}`;
    return [{ code: 'OPTION_INVALID', where: 'the pipeline', message, hint: 'Pass plain objects and lists.' }];
  }
}

// --- internal ---

/** Drops issues about the inside of values that are no phase or task at all. */
function relevant(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const others = issues.flatMap(({ path }) => (path.at(-1) === 'kind' ? [path.slice(0, -1)] : []));
  return issues.filter(
    ({ path }) => path.at(-1) === 'kind' || !others.some((other) => other.every((key, index) => path[index] === key)),
  );
}

const call = z.custom<unknown>((value) => typeof value === 'function', 'expected a function');
const schema = z.custom<unknown>(isSchema, 'expected a Standard Schema, such as one made with zod');
const named = z.union([z.string(), z.object({ name: z.string() })], {
  error: 'expected a name or an object made by phase() or task()',
});
const nameList = z.array(named.nullish(), 'expected a list of names or objects').nullish();
const text = z.string('expected a string');
const version = z.string('expected a string').min(1).max(100).optional();

const task = z.object({
  kind: z.literal('task', 'expected a task made by task()'),
  name: text,
  options: z
    .strictObject({
      run: call,
      description: text.optional(),
      after: nameList,
      output: schema.optional(),
      retry: z
        .strictObject({
          attempts: manySchema.optional(),
          backoff: backoffSchema.optional(),
          jitter: z.boolean().optional(),
          retryable: call.optional(),
        })
        .optional(),
      timeout: z.number().min(0).optional(),
      estimate: estimateSchema.optional(),
      unreported: z.array(z.enum(['tokens', 'costUsd'])).optional(),
      version,
      pipeline: call.optional(),
      input: call.optional(),
      outcome: call.optional(),
    })
    .refine(({ run, pipeline }) => (pipeline === undefined) === (run !== unstartable), {
      path: ['pipeline'],
      error: 'expected either "run" or "pipeline"',
    })
    .refine(
      ({ pipeline, input, outcome }) => pipeline !== undefined || (input === undefined && outcome === undefined),
      {
        path: ['pipeline'],
        error: 'expected a pipeline for "input" and "outcome"',
      },
    ),
});

const check = z.object({
  name: text,
  run: call,
  baseline: z.boolean().optional(),
  retries: z.int().min(0).max(100).optional(),
  timeout: z.number().min(0).optional(),
});

/** The output of a pipeline is no decision. */
const judge = task.refine(({ options }) => options.pipeline === undefined, {
  path: ['options', 'pipeline'],
  error: 'expected a reviewer without a pipeline, whose outputs are no decision',
});
const reviewer = z.union([call, judge], { error: 'expected a function or a task' });

const review = gatePolicySchema.extend({
  by: z.union([reviewer, z.array(reviewer)], { error: 'expected a reviewer or a list of reviewers' }).optional(),
  quorum: z.union([z.literal('all'), z.int().min(1)], { error: 'expected "all" or a whole number from 1' }).optional(),
  checks: z.array(check, 'expected a list of checks').optional(),
  reflect: z.union([call, task], { error: 'expected a function or a task' }).optional(),
  rewindTo: z
    .union([gatePolicySchema.shape.rewindTo.unwrap(), z.array(named)], {
      error: 'expected "predecessors", "ancestors" or a list of phases',
    })
    .optional(),
});

const phase = z.object({
  kind: z.literal('phase', 'expected a phase made by phase()'),
  name: text,
  options: z.strictObject({
    tasks: z.array(task, 'expected a list of tasks').nullish(),
    after: nameList,
    mode: modeSchema.nullish(),
    review: z.union([reviewer, review], { error: 'expected a function, a task, or review options' }).nullish(),
    input: schema.optional(),
    subscribe: z.array(text, 'expected a list of texts such as "plan/outline"').nullish(),
    version,
  }),
});

const pipelineShape = z.strictObject({
  name: text,
  phases: z.array(phase, 'expected a list of phases'),
  input: schema.optional(),
  policy: policySchema.optional(),
  limits: limitsSchema.optional(),
  concurrency: manySchema.optional(),
  version,
});
