/**
 * Checks of a pipeline file.
 *
 * @module
 */
import { z } from 'zod';
import { CHECK_KINDS } from '../../../actors/command/failure-count.ts';
import { command, commandObject, text } from './command-schema.ts';
import { schemaProblem } from './json-schema.ts';
import { told } from './with-descriptions.ts';

/** What the checks may say that look at something which is there before the tasks have worked. */
const before = {
  baseline: told(
    z.boolean().optional(),
    'Runs it before the tasks as well: what failed then and fails afterwards warns, and asks for no change.',
    false,
  ),
  retries: told(z.int().min(0).max(100).optional(), 'How often it is run again when it fails.', 0),
};

/** What the checks may say that look at a working tree. */
const look = {
  cwd: told(text.optional(), 'A folder of the working tree, relative to the directory of this file.', '.'),
  ...before,
  timeout: command.timeout,
};

const commandCheck = commandObject({
  use: told(z.literal('command').optional(), 'A command, which passes with exit code 0.', 'command'),
  name: told(text.optional(), 'Names the check in records. Without it the command does.'),
  ...command,
  ...before,
  kind: told(
    z.enum(CHECK_KINDS).optional(),
    'What the command is for: the change that is asked for is worded accordingly. Without it the command is named.',
  ),
  requiredChange: told(
    text.optional(),
    'The change that a failure asks for, as one imperative sentence. Without it the command is named, by what it is for.',
  ),
  failures: told(
    text.refine(isPattern, 'expected a regular expression').optional(),
    'Finds the names of what failed in the output: a regular expression whose first group, or whole match, is one. Without it the outcome counts as a whole.',
  ),
});

/** A check. */
export const check = z.discriminatedUnion(
  'use',
  [
    commandCheck,
    z.strictObject({
      use: told(z.literal('noMergeConflicts'), 'No file of the working tree has merge conflicts.'),
      name: told(text.optional(), 'Names the check in records.', 'merge conflicts'),
      ...look,
    }),
    z.strictObject({
      use: told(z.literal('nonEmptyDiff'), 'The working tree differs from a commit.'),
      name: told(text.optional(), 'Names the check in records.', 'diff'),
      ...look,
      base: told(
        text.regex(/^[^-]/u, 'expected a commit or a branch').optional(),
        'A commit or branch to compare with.',
        'HEAD',
      ),
    }),
    z.strictObject({
      use: told(z.literal('matchesSchema'), 'The output of a task matches a JSON Schema.'),
      name: told(text.optional(), 'Names the check in records. Without it "schema of", and the task.'),
      task: told(text, 'The task of the phase whose output it is; its "output" is json.'),
      schema: told(z.record(text, z.unknown()).check(sound), 'A JSON Schema.'),
    }),
  ],
  { error: unknownUse },
);

/** A check of a pipeline file. */
export type CheckFields = z.infer<typeof check>;

// --- internal ---

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
