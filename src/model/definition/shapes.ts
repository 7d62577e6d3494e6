/**
 * The shapes of phases and of a whole definition: each option, and the values that it takes.
 *
 * @module
 */
import { z } from 'zod';
import { unstartable } from '../handlers/child-pipeline.ts';
import { estimateSchema, manySchema, modeSchema } from '../plan/options.ts';
import { backoffSchema, gatePolicySchema, limitsSchema, policySchema } from '../plan/policy-schema.ts';
import { isSchema } from '../values/standard-schema.ts';

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
      pool: text.min(1).max(100).optional(),
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
    )
    .refine(({ pipeline, pool }) => pipeline === undefined || pool === undefined, {
      path: ['pool'],
      error: 'expected none next to "pipeline": the tasks of that pipeline wait for places of their own',
    }),
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

/** The shape of a phase as `phase()` makes it. */
export const phaseShape = z.object({
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

/** The shape of the argument of `definePipeline`. */
export const pipelineShape = z.strictObject({
  name: text,
  phases: z.array(phaseShape, 'expected a list of phases'),
  input: schema.optional(),
  policy: policySchema.optional(),
  limits: limitsSchema.optional(),
  concurrency: manySchema.optional(),
  version,
});
