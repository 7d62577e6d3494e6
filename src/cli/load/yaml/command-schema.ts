/**
 * Schemas of commands, tasks and durations in a pipeline file.
 *
 * @module
 */
import { z } from 'zod';
import { estimateSchema, manySchema } from '../../../model/plan/options.ts';
import { backoffSchema } from '../../../model/plan/policy-schema.ts';
import { BACKOFF_DEFAULTS, BACKOFF_WORDS, ESTIMATE_WORDS } from './descriptions.ts';
import { withDescription, withDescriptions } from './with-descriptions.ts';

/** The schema of a text. */
export const text = z.string();

/** The schema of a duration: milliseconds, or a text with a unit. */
export const duration = z.union([
  z.number().min(0),
  z.string().regex(/^\d+(\.\d+)? ?(ms|s|m|h|d)$/u, 'expected a duration such as "30s"'),
]);

/** The schema of waiting times. */
export const backoff = z.strictObject(
  withDescriptions(
    { ...backoffSchema.unwrap().shape, first: duration.optional(), max: duration.optional() },
    BACKOFF_WORDS,
    BACKOFF_DEFAULTS,
  ),
);

const EMPTY = 'expected a program, found none';

/** Keys of every command. */
export const command = {
  command: withDescription(
    z.union([
      z
        .array(z.union([text, z.number(), z.boolean()]))
        .min(1)
        .refine(([program]) => program !== '', { path: [0], message: EMPTY }),
      text.regex(/\S/u, EMPTY),
    ]),
    'The program and its arguments, without a shell. With "shell: true" one line of text for the shell.',
  ),
  shell: withDescription(
    z.boolean().optional(),
    'Runs the command, which is then one line of text, with the shell.',
    false,
  ),
  cwd: withDescription(text.optional(), 'Working directory, relative to the directory of this file.', '.'),
  env: withDescription(
    z.record(text, z.union([text, z.number(), z.boolean()])).optional(),
    'Environment variables in addition to those of the phasegate process and to PHASEGATE_*.',
    {},
  ),
  stdin: withDescription(
    z.enum(['none', 'inputs', 'prompt']).optional(),
    'The standard input of the command: nothing, all inputs as one JSON object, or the prompt.',
    'none',
  ),
  timeout: withDescription(
    duration.optional(),
    'The most time that it may take: milliseconds, or a text such as "30s". 0 sets no limit.',
    '1h',
  ),
  maxOutputBytes: withDescription(
    z.int().min(1).optional(),
    'The most bytes of output that are stored: half from the start, half from the end.',
    1_048_576,
  ),
};

const retry = z.strictObject({
  attempts: withDescription(manySchema.optional(), 'Tries in all, including the first.', 1),
  backoff: withDescription(
    backoff.optional(),
    'The wait before another try: "first", then "factor" times longer each time, up to "max".',
    BACKOFF_DEFAULTS,
  ),
});

/** The version key: users change it if something has changed that the file does not show. */
export const version = withDescription(
  text.min(1).max(100).optional(),
  'Change it if something has changed that this file does not show, such as a script. A run is not resumed with another version. Without it there is no version.',
);

/** Keys of every task and every reviewer, besides those of its command or agent. */
export const work = {
  version,
  pool: withDescription(
    text.min(1).max(100).optional(),
    'The pool in which a try needs a place. "phasegate work --pool <name>=<size>" limits it over all workers. Without it there is no limit.',
  ),
  description: withDescription(text.optional(), 'Describes the work in words; the base of the prompt.', ''),
  retry: withDescription(retry.optional(), 'The tries in all if it fails, and the wait between them.', { attempts: 1 }),
  estimate: withDescription(
    z
      .strictObject(
        withDescriptions({ ...estimateSchema.unwrap().shape, durationMs: duration.optional() }, ESTIMATE_WORDS),
      )
      .optional(),
    'The most that one try uses. A try that does not fit into the limits does not start. Without it there is no estimate.',
  ),
};

/** Creates a strict object schema of a command, which is a line of text exactly if `shell` is true. */
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

/** The parsed keys of a command. */
export type CommandFields = z.infer<z.ZodObject<typeof command>>;
