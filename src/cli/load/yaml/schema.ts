/**
 * The schema of a pipeline file in YAML, and the source of the published JSON Schema.
 *
 * @module
 */
import { z } from 'zod';
import { LONGEST_TAG, MOST_TAGS, readTags } from '../../../model/events/run-tags.ts';
import { approvalSchema } from '../../../model/plan/approval-policy.ts';
import { inboxPolicySchema } from '../../../model/plan/inbox-policy.ts';
import { manySchema, modeSchema } from '../../../model/plan/options.ts';
import { gatePolicySchema, limitsSchema, policySchema } from '../../../model/plan/policy-schema.ts';
import { gateDefaults, policies } from '../../../model/plan/policy.ts';
import { check } from './check-schema.ts';
import { backoff, command, commandObject, duration, text, version, work } from './command-schema.ts';
import {
  APPROVAL_DEFAULTS,
  APPROVAL_WORDS,
  GATE_DEFAULTS,
  GATE_WORDS,
  INBOX_DEFAULTS,
  INBOX_WORDS,
  LIMIT_WORDS,
  RUN_DEFAULTS,
  RUN_WORDS,
} from './descriptions.ts';
import { agentKeys, workObject } from './work-schema.ts';
import { workspace } from './workspace-schema.ts';
import { withDescription, withDescriptions } from './with-descriptions.ts';

const task = workObject({
  name: withDescription(text, 'Unique in its phase.'),
  ...work,
  ...agentKeys('The work in words. The agent gets it after the revision, and with the outputs of earlier phases.'),
  output: withDescription(
    z.enum(['text', 'json', 'lines']).optional(),
    'The way that standard output becomes the output of the task.',
    'text',
  ),
  after: withDescription(z.array(text).optional(), 'Tasks of the same phase that run before this one.', []),
});

const reviewer = workObject({
  name: withDescription(
    text.optional(),
    'Names the reviewer in records. Without it the second reviewer is "review 2".',
    'review',
  ),
  ...work,
  ...agentKeys('The criteria of an agent that reviews, in words. It only reads.'),
  output: withDescription(
    z.enum(['text', 'json']).optional(),
    'The format of the decision on standard output.',
    'text',
  ),
});

const reflector = commandObject({
  name: withDescription(text.optional(), 'Names the task in records.', 'reflect'),
  ...command,
  ...work,
});

const limits = z.strictObject(
  withDescriptions(
    { ...limitsSchema.unwrap().shape, durationMs: duration.optional(), deadlineMs: duration.optional() },
    LIMIT_WORDS,
  ),
);

const queue = z.strictObject({ queue: withDescription(text.min(1), 'The queue to ask then.') });

const inbox = z.strictObject(
  withDescriptions(
    { ...inboxPolicySchema.unwrap().shape, onExpiry: z.union([z.enum(['reject', 'stay']), queue]).optional() },
    INBOX_WORDS,
    INBOX_DEFAULTS,
  ),
);

const approval = z.strictObject(withDescriptions(approvalSchema.unwrap().shape, APPROVAL_WORDS, APPROVAL_DEFAULTS));

const gate = withDescriptions(
  {
    ...gatePolicySchema.shape,
    reviewBackoff: backoff.optional(),
    inbox: inbox.optional(),
    approval: approval.optional(),
  },
  GATE_WORDS,
  GATE_DEFAULTS,
);

const review = z.strictObject({
  checks: withDescription(
    z.array(check).optional(),
    'Commands that pass with exit code 0, or built-in checks. All of them run before the reviewers.',
    [],
  ),
  by: withDescription(
    z.union([reviewer, z.array(reviewer)]).optional(),
    'Agents, and commands whose standard output is a decision, such as "APPROVE" or "RETRY: <what to change>".',
    [],
  ),
  reflect: withDescription(
    reflector.optional(),
    'A command whose standard output is the lesson of a rejected attempt, for strategies that reflect. Without it there is no lesson.',
  ),
  quorum: withDescription(
    z.union([z.literal('all'), z.int().min(1)]).optional(),
    'The number of reviewers that must approve.',
    'all',
  ),
  ...gate,
  rewindTo: withDescription(
    z.union([gatePolicySchema.shape.rewindTo.unwrap(), z.array(text)]).optional(),
    GATE_WORDS.rewindTo,
    gateDefaults.rewindTo,
  ),
});

const phase = z.strictObject({
  name: withDescription(text, 'Unique in the pipeline.'),
  tasks: withDescription(z.array(task).min(1), 'The tasks of the phase, which pass review together.'),
  after: withDescription(z.array(text).optional(), 'Phases that must be approved first.', []),
  mode: withDescription(modeSchema.optional(), 'The order in which the tasks run.', 'dependencies'),
  review: withDescription(review.optional(), 'The gate. Without it the phase approves itself.'),
  version,
});

const tags = z
  .array(text.max(LONGEST_TAG))
  .max(MOST_TAGS)
  .superRefine((given, context) => {
    const read = readTags(given);
    if ('problem' in read) context.addIssue({ code: 'custom', message: `${read.problem}. ${read.hint}` });
  });

const preset = z.enum(['ensemble', 'fleet', 'tsp', 'phased', 'strict'] satisfies (keyof typeof policies)[]);
const { onFailure, onLimit } = policySchema.unwrap().shape;
const policy = z.strictObject({
  ...gate,
  ...withDescriptions({ onFailure, onLimit, limits: limits.optional() }, RUN_WORDS, RUN_DEFAULTS),
});

/** The schema of a pipeline file. */
export const pipelineFileSchema = z
  .strictObject({
    $schema: withDescription(text.optional(), 'The JSON Schema of this file. Without it editors show no help.'),
    name: withDescription(text, 'Names the pipeline in records and pictures.'),
    phases: withDescription(z.array(phase).min(1), 'The phases, in any order.'),
    policy: withDescription(
      z.union([preset, policy]).optional(),
      'A preset, or gate options for every phase that does not set its own. Without it each option has its default.',
    ),
    workspace: withDescription(
      workspace.optional(),
      'The folders in which agents work: "clone" or "worktree", or an object with options. With "none" agents change the directory of this file itself. Without it, no task is an agent.',
    ),
    limits: withDescription(limits.optional(), 'Limits of a run. Without it there are none.'),
    tags: withDescription(
      tags.optional(),
      'Tags of each run, such as "nightly" or "team=search". A tag of `run --tag` replaces that of the same key.',
      [],
    ),
    concurrency: withDescription(
      manySchema.optional(),
      'The number of phases that may run at the same time.',
      'unlimited',
    ),
    version,
  })
  .meta({ title: 'phasegate pipeline' });

/** A parsed pipeline file. */
export type PipelineFile = z.infer<typeof pipelineFileSchema>;

/** Returns the schema of a pipeline file as JSON Schema, for editors. */
export function pipelineJsonSchema(): object {
  return z.toJSONSchema(pipelineFileSchema, { target: 'draft-7', io: 'input' });
}
