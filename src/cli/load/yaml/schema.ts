/**
 * What a pipeline file in YAML may say. The JSON Schema that is shipped is made from this.
 *
 * @module
 */
import { z } from 'zod';
import { approvalSchema } from '../../../model/plan/approval-policy.ts';
import { inboxPolicySchema } from '../../../model/plan/inbox-policy.ts';
import { manySchema, modeSchema } from '../../../model/plan/options.ts';
import { gatePolicySchema, limitsSchema, policySchema } from '../../../model/plan/policy-schema.ts';
import { gateDefaults, policies } from '../../../model/plan/policy.ts';
import { check } from './check-schema.ts';
import { backoff, commandObject, duration, text, version, work } from './command-schema.ts';
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
import { told, toldEach } from './with-descriptions.ts';

const task = commandObject({
  name: told(text, 'Unique in its phase.'),
  ...work,
  output: told(
    z.enum(['text', 'json', 'lines']).optional(),
    'How standard output becomes the output of the task.',
    'text',
  ),
  after: told(z.array(text).optional(), 'Tasks of the same phase that it comes after.', []),
});

const reviewer = commandObject({
  name: told(text.optional(), 'Names the reviewer in records. The second one is "review 2" without it.', 'review'),
  ...work,
  output: told(
    z.enum(['text', 'json']).optional(),
    'Whether standard output is a decision as text or as JSON.',
    'text',
  ),
});

const reflector = commandObject({
  name: told(text.optional(), 'Names it in records.', 'reflect'),
  ...work,
});

const limits = z.strictObject(
  toldEach(
    { ...limitsSchema.unwrap().shape, durationMs: duration.optional(), deadlineMs: duration.optional() },
    LIMIT_WORDS,
  ),
);

const queue = z.strictObject({ queue: told(text.min(1), 'Who is asked then.') });

const inbox = z.strictObject(
  toldEach(
    { ...inboxPolicySchema.unwrap().shape, onExpiry: z.union([z.enum(['reject', 'stay']), queue]).optional() },
    INBOX_WORDS,
    INBOX_DEFAULTS,
  ),
);

const approval = z.strictObject(toldEach(approvalSchema.unwrap().shape, APPROVAL_WORDS, APPROVAL_DEFAULTS));

const gate = toldEach(
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
  checks: told(
    z.array(check).optional(),
    'Commands that pass with exit code 0, or checks that are there to use. They run first, all of them.',
    [],
  ),
  by: told(
    z.union([reviewer, z.array(reviewer)]).optional(),
    'Commands whose standard output is a decision, such as "APPROVE" or "RETRY: <what to change>".',
    [],
  ),
  reflect: told(
    reflector.optional(),
    'A command whose standard output is what to learn from a rejected attempt, for strategies that reflect. Without it nothing is.',
  ),
  quorum: told(z.union([z.literal('all'), z.int().min(1)]).optional(), 'How many reviewers must approve.', 'all'),
  ...gate,
  rewindTo: told(
    z.union([gatePolicySchema.shape.rewindTo.unwrap(), z.array(text)]).optional(),
    GATE_WORDS.rewindTo,
    gateDefaults.rewindTo,
  ),
});

const phase = z.strictObject({
  name: told(text, 'Unique in the pipeline.'),
  tasks: told(z.array(task).min(1), 'Work that passes review together.'),
  after: told(z.array(text).optional(), 'Phases that must be approved first.', []),
  mode: told(modeSchema.optional(), 'How the tasks run.', 'dependencies'),
  review: told(review.optional(), 'The gate. Without one the phase approves itself.'),
  version,
});

const preset = z.enum(['ensemble', 'fleet', 'tsp', 'phased', 'strict'] satisfies (keyof typeof policies)[]);
const { onFailure, onLimit } = policySchema.unwrap().shape;
const policy = z.strictObject({
  ...gate,
  ...toldEach({ onFailure, onLimit, limits: limits.optional() }, RUN_WORDS, RUN_DEFAULTS),
});

/** The schema of a pipeline file. */
export const pipelineFileSchema = z
  .strictObject({
    $schema: told(text.optional(), 'The JSON Schema of this file, for editors. Without it they have no help.'),
    name: told(text, 'Names the pipeline in records and pictures.'),
    phases: told(z.array(phase).min(1), 'The phases, in any order.'),
    policy: told(
      z.union([preset, policy]).optional(),
      'A preset, or gate options for every phase that does not say otherwise. Without it each option has its default.',
    ),
    limits: told(limits.optional(), 'Limits of a run. Without it there are none.'),
    concurrency: told(manySchema.optional(), 'How many phases may work at the same time.', 'unlimited'),
    version,
  })
  .meta({ title: 'phasegate pipeline' });

/** A pipeline file that is well-formed. */
export type PipelineFile = z.infer<typeof pipelineFileSchema>;

/** The schema of a pipeline file as JSON Schema, for editors. */
export function pipelineJsonSchema(): object {
  return z.toJSONSchema(pipelineFileSchema, { target: 'draft-7', io: 'input' });
}
