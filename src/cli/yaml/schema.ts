/**
 * What a pipeline file in YAML may say. The JSON Schema that is shipped is made from this.
 *
 * @module
 */
import { z } from 'zod';
import { CHECK_KINDS } from '../../actors/failure-count.ts';
import { estimateSchema, manySchema, modeSchema } from '../../model/options.ts';
import { backoffSchema, gatePolicySchema, limitsSchema, policies, policySchema } from '../../model/policy.ts';
import { schemaProblem } from './json-schema.ts';

const text = z.string();

const duration = z
  .union([z.number().min(0), z.string().regex(/^\d+(\.\d+)? ?(ms|s|m|h)$/u, 'expected a duration such as "30s"')])
  .describe('Milliseconds, or a text such as "500ms", "30s", "5m", "2h".');

const backoff = backoffSchema
  .unwrap()
  .extend({ first: duration.optional(), max: duration.optional() })
  .describe('Waiting time before another try: "first", then "factor" times longer each time, up to "max".');

/** What every command may say. */
const command = {
  command: z
    .union([z.array(z.union([text, z.number(), z.boolean()])).min(1), text.min(1)])
    .describe('The program and its arguments, which no shell sees. With "shell: true" one line for the shell.'),
  shell: z.boolean().optional().describe('Runs the command, which is then one line, with the shell.'),
  cwd: text.optional().describe('Working directory, relative to the directory of this file.'),
  env: z
    .record(text, z.union([text, z.number(), z.boolean()]))
    .optional()
    .describe('Environment variables on top of those of phasegate and the PHASEGATE_* ones.'),
  stdin: z
    .enum(['none', 'inputs', 'prompt'])
    .optional()
    .describe('What the command can read: nothing, everything it may know as one JSON object, or the prompt.'),
  timeout: duration.optional(),
  maxOutputBytes: z.int().min(1).optional().describe('Bytes of output that are kept: the first half and the last.'),
};

const retry = z.strictObject({
  attempts: manySchema.optional(),
  backoff: backoff.optional(),
});

const work = {
  ...command,
  description: text.optional().describe('What is to be done, in words; the base of the prompt.'),
  retry: retry.optional().describe('How often it is tried when it fails.'),
  estimate: estimateSchema.unwrap().extend({ durationMs: duration.optional() }).optional(),
};

/** Refuses a JSON Schema that would not be checked in every part. */
function sound({ value, issues }: z.core.ParsePayload<Readonly<Record<string, unknown>>>): void {
  const problem = schemaProblem(value);
  if (problem !== undefined)
    issues.push({ code: 'custom', input: value, message: `no schema that can be used: ${problem}` });
}

/** What there is to use, where something else was named. */
function unknownUse({ code }: { readonly code: string }): string | undefined {
  const uses = ['noMergeConflicts', 'nonEmptyDiff', 'matchesSchema', 'command'].map((use) => `"${use}"`);
  return code === 'invalid_union' ? `expected one of ${uses.join(', ')}` : undefined;
}

/** Whether a text is a regular expression. */
function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}

/** Strict, and a line of text exactly where there is a shell to read it. */
function commandObject<S extends z.core.$ZodShape>(shape: S) {
  return z.strictObject(shape).check(({ value, issues }) => {
    const { command: line, shell }: { command?: unknown; shell?: unknown } = value;
    if (line === undefined || (typeof line === 'string') === (shell === true)) return;
    const message =
      shell === true
        ? 'with "shell: true" the command is one line of text, not a list'
        : 'a command is a list such as [npm, test]; a line of text needs "shell: true"';
    issues.push({ code: 'custom', input: line, path: ['command'], message });
  });
}

const task = commandObject({
  name: text.describe('Unique in its phase.'),
  ...work,
  output: z.enum(['text', 'json', 'lines']).optional().describe('How standard output becomes the output of the task.'),
  after: z.array(text).optional().describe('Tasks of the same phase that it comes after.'),
});

const reviewer = commandObject({
  name: text.optional(),
  ...work,
  output: z.enum(['text', 'json']).optional().describe('Whether standard output is a decision as text or as JSON.'),
});

const reflector = commandObject({ name: text.optional(), ...work });

const checkName = text.optional();

/** What the checks may say that look at something which is there before the tasks have worked. */
const before = {
  baseline: z
    .boolean()
    .optional()
    .describe('Runs it before the tasks as well: what failed then and fails afterwards warns, and asks for no change.'),
  retries: z.int().min(0).max(100).optional().describe('How often it is run again when it fails.'),
};

const folder = {
  cwd: text.optional().describe('A folder of the working tree, relative to the directory of this file.'),
};

const commandCheck = commandObject({
  use: z.literal('command').optional(),
  name: checkName.describe('The command itself where absent.'),
  ...command,
  ...before,
  kind: z
    .enum(CHECK_KINDS)
    .optional()
    .describe('What the command is for: the change that is asked for is worded accordingly.'),
  failures: text
    .refine(isPattern, 'expected a regular expression')
    .optional()
    .describe(
      'Finds the names of what failed in the output: a regular expression whose first group, or whole match, is one.',
    ),
});

const check = z.discriminatedUnion(
  'use',
  [
    commandCheck,
    z.strictObject({
      use: z.literal('noMergeConflicts'),
      name: checkName,
      ...folder,
      ...before,
      timeout: duration.optional(),
    }),
    z.strictObject({
      use: z.literal('nonEmptyDiff'),
      name: checkName,
      ...folder,
      ...before,
      timeout: duration.optional(),
      base: text
        .regex(/^[^-]/u, 'expected a commit or a branch')
        .optional()
        .describe('A commit or branch to compare with. HEAD where absent.'),
    }),
    z.strictObject({
      use: z.literal('matchesSchema'),
      name: checkName,
      task: text.describe('The task of the phase whose output it is; its "output" is json.'),
      schema: z.record(text, z.unknown()).check(sound).describe('A JSON Schema.'),
    }),
  ],
  { error: unknownUse },
);

const review = gatePolicySchema.extend({
  checks: z
    .array(check)
    .optional()
    .describe('Commands that pass with exit code 0, or checks that are there to use. They run first, all of them.'),
  by: z
    .union([reviewer, z.array(reviewer)])
    .optional()
    .describe('Commands whose standard output is a decision, such as "APPROVE" or "RETRY: <what to change>".'),
  reflect: reflector
    .optional()
    .describe('A command whose standard output is what to learn from a rejected attempt, for strategies that reflect.'),
  quorum: z
    .union([z.literal('all'), z.int().min(1)])
    .optional()
    .describe('How many reviewers must approve.'),
  rewindTo: z
    .union([gatePolicySchema.shape.rewindTo.unwrap(), z.array(text)])
    .optional()
    .describe('Which phases may be sent back: the direct predecessors, any ancestor, or just these.'),
  reviewBackoff: backoff.optional(),
});

const phase = z.strictObject({
  name: text.describe('Unique in the pipeline.'),
  tasks: z.array(task).min(1),
  after: z.array(text).optional().describe('Phases that must be approved first.'),
  mode: modeSchema.optional().describe('How the tasks run.'),
  review: review.optional().describe('The gate. Without one the phase approves itself.'),
});

const limits = limitsSchema.unwrap().extend({ durationMs: duration.optional() });
const preset = z.enum(['ensemble', 'fleet', 'tsp', 'phased', 'strict'] satisfies (keyof typeof policies)[]);

/** The schema of a pipeline file. */
export const pipelineFileSchema = z
  .strictObject({
    $schema: text.optional().describe('The JSON Schema of this file, for editors.'),
    name: text.describe('Names the pipeline in records and pictures.'),
    phases: z.array(phase).min(1).describe('The phases, in any order.'),
    policy: z
      .union([preset, policySchema.unwrap().extend({ reviewBackoff: backoff.optional(), limits: limits.optional() })])
      .optional()
      .describe('A preset, or gate options for every phase that does not say otherwise.'),
    limits: limits.optional().describe('Limits of a run.'),
    concurrency: manySchema.optional().describe('How many phases may work at the same time.'),
  })
  .meta({ title: 'phasegate pipeline' });

/** A pipeline file that is well-formed. */
export type PipelineFile = z.infer<typeof pipelineFileSchema>;

/** A task, a reviewer or a check of a pipeline file. */
export type CommandFields = Omit<
  z.infer<typeof commandCheck>,
  'name' | 'use' | keyof typeof before | 'kind' | 'failures'
>;

/** A check of a pipeline file. */
export type CheckFields = z.infer<typeof check>;

/** A duration as a file may give it. */
export type Duration = z.infer<typeof duration>;

/** The schema of a pipeline file as JSON Schema, for editors. */
export function pipelineJsonSchema(): object {
  return z.toJSONSchema(pipelineFileSchema, { target: 'draft-7', io: 'input' });
}
