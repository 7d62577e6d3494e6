/**
 * Schemas of the checks in a pipeline file.
 *
 * @module
 */
import { z } from 'zod';
import { CHECK_KINDS } from '../../../actors/command/failure-count.ts';
import { patternDoubt, shownPattern } from '../patterns/pattern-doubt.ts';
import { command, commandObject, text } from './command-schema.ts';
import { schemaProblem } from './json-schema.ts';
import { withDescription } from './with-descriptions.ts';

/** Keys of checks that can also run before the tasks. */
const before = {
  baseline: withDescription(
    z.boolean().optional(),
    'Runs the check before the tasks as well. A failure that was there before only warns and asks for no change.',
    false,
  ),
  retries: withDescription(z.int().min(0).max(100).optional(), 'Times the check runs again when it fails.', 0),
};

/** Keys of checks that examine a working tree. */
const tree = {
  cwd: withDescription(text.optional(), 'A folder of the working tree, relative to the directory of this file.', '.'),
  ...before,
  timeout: command.timeout,
};

const commandCheck = commandObject({
  use: withDescription(z.literal('command').optional(), 'A command, which passes with exit code 0.', 'command'),
  name: withDescription(text.optional(), 'Names the check in records. Without it the command is the name.'),
  ...command,
  ...before,
  kind: withDescription(
    z.enum(CHECK_KINDS).optional(),
    'The kind of check, which decides the wording of the required change. Without it the wording names the command.',
  ),
  requiredChange: withDescription(
    text.optional(),
    'The change that a failure requires, as one imperative sentence. Without it the sentence follows from "kind" and the command.',
  ),
  failures: withDescription(
    text.check(fast).optional(),
    'A regular expression that finds failures in the output: its first group, or whole match, is the name of one. Without it the outcome of the command counts as a whole.',
  ),
});

/** The schema of a check. */
export const check = z.discriminatedUnion(
  'use',
  [
    commandCheck,
    z.strictObject({
      use: withDescription(z.literal('noMergeConflicts'), 'No file of the working tree has merge conflicts.'),
      name: withDescription(text.optional(), 'Names the check in records.', 'merge conflicts'),
      ...tree,
    }),
    z.strictObject({
      use: withDescription(z.literal('nonEmptyDiff'), 'The working tree differs from a commit.'),
      name: withDescription(text.optional(), 'Names the check in records.', 'diff'),
      ...tree,
      base: withDescription(
        text.regex(/^[^-]/u, 'expected a commit or a branch').optional(),
        'A commit or branch to compare with.',
        'HEAD',
      ),
    }),
    z.strictObject({
      use: withDescription(z.literal('matchesSchema'), 'The output of a task matches a JSON Schema.'),
      name: withDescription(
        text.optional(),
        'Names the check in records. Without it the name is "schema of" and the task.',
      ),
      task: withDescription(text, 'The task of the phase whose output is checked; its "output" is json.'),
      schema: withDescription(z.record(text, z.unknown()).check(sound), 'A JSON Schema.'),
    }),
  ],
  { error: unknownUse },
);

/** A check of a pipeline file. */
export type CheckFields = z.infer<typeof check>;

// --- internal ---

/** Refuses a JSON Schema of which some part would have no effect. */
function sound({ value, issues }: z.core.ParsePayload<Readonly<Record<string, unknown>>>): void {
  const problem = schemaProblem(value);
  if (problem !== undefined) issues.push({ code: 'custom', input: value, message: `not a usable schema: ${problem}` });
}

/** Lists the known values of `use` for a check with another one. */
function unknownUse({ code }: { readonly code: string }): string | undefined {
  const uses = ['noMergeConflicts', 'nonEmptyDiff', 'matchesSchema', 'command'].map((use) => `"${use}"`);
  return code === 'invalid_union' ? `expected one of ${uses.join(', ')}` : undefined;
}

/** Refuses a pattern that is not proven to be fast. */
function fast({ value, issues }: z.core.ParsePayload<string>): void {
  const doubt = patternDoubt(value, { everywhere: true });
  if (doubt === undefined) return;
  issues.push({ code: 'custom', input: value, message: `cannot use the pattern ${shownPattern(value)} as ${doubt}` });
}
