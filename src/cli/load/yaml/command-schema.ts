/**
 * Commands of a pipeline file, and what is said of work.
 *
 * @module
 */
import { z } from 'zod';
import { estimateSchema, manySchema } from '../../../model/plan/options.ts';
import { backoffSchema } from '../../../model/plan/policy-schema.ts';
import { BACKOFF_DEFAULTS, BACKOFF_WORDS, ESTIMATE_WORDS } from './descriptions.ts';
import { told, toldEach } from './with-descriptions.ts';

/** Text. */
export const text = z.string();

/** A duration: milliseconds, or a text with a unit. */
export const duration = z.union([
  z.number().min(0),
  z.string().regex(/^\d+(\.\d+)? ?(ms|s|m|h|d)$/u, 'expected a duration such as "30s"'),
]);

/** Waiting times. */
export const backoff = z.strictObject(
  toldEach(
    { ...backoffSchema.unwrap().shape, first: duration.optional(), max: duration.optional() },
    BACKOFF_WORDS,
    BACKOFF_DEFAULTS,
  ),
);

/** What every command may say. */
export const command = {
  command: told(
    z.union([z.array(z.union([text, z.number(), z.boolean()])).min(1), text.min(1)]),
    'The program and its arguments, which no shell sees. With "shell: true" one line for the shell.',
  ),
  shell: told(z.boolean().optional(), 'Runs the command, which is then one line, with the shell.', false),
  cwd: told(text.optional(), 'Working directory, relative to the directory of this file.', '.'),
  env: told(
    z.record(text, z.union([text, z.number(), z.boolean()])).optional(),
    'Environment variables on top of those of phasegate and the PHASEGATE_* ones.',
    {},
  ),
  stdin: told(
    z.enum(['none', 'inputs', 'prompt']).optional(),
    'What the command can read: nothing, everything it may know as one JSON object, or the prompt.',
    'none',
  ),
  timeout: told(duration.optional(), 'How long it may take: milliseconds, or a text such as "30s". 0 for ever.', '1h'),
  maxOutputBytes: told(
    z.int().min(1).optional(),
    'Bytes of output that are kept: the first half and the last.',
    1_048_576,
  ),
};

const retry = z.strictObject({
  attempts: told(manySchema.optional(), 'Tries in all, the first included.', 1),
  backoff: told(
    backoff.optional(),
    'Waiting time before another try: "first", then "factor" times longer each time, up to "max".',
    BACKOFF_DEFAULTS,
  ),
});

/** What is counted up where something has changed that a file does not show. */
export const version = told(
  text.min(1).max(100).optional(),
  'Says that something has changed that this file does not show, such as a script: a run is not resumed with another. Without it nothing says so.',
);

/** What every task and every reviewer may say. */
export const work = {
  ...command,
  version,
  description: told(text.optional(), 'What is to be done, in words; the base of the prompt.', ''),
  retry: told(retry.optional(), 'How often it is tried when it fails.', { attempts: 1 }),
  estimate: told(
    z
      .strictObject(toldEach({ ...estimateSchema.unwrap().shape, durationMs: duration.optional() }, ESTIMATE_WORDS))
      .optional(),
    'What a try uses at most. None begins that does not fit into the limits. Without it nothing is expected.',
  ),
};

/** Strict, and a line of text exactly where there is a shell to read it. */
export function commandObject<S extends z.core.$ZodShape>(shape: S) {
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

/** A duration as a file may give it. */
export type Duration = z.infer<typeof duration>;

/** What a command is run with. */
export type CommandFields = z.infer<z.ZodObject<typeof command>>;
