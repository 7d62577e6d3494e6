/**
 * Construction of checks from a pipeline file.
 *
 * @module
 */
import { resolve } from 'node:path';
import { z } from 'zod';
import { commandCheck } from '../../../actors/command/command-check.ts';
import { noMergeConflicts, nonEmptyDiff } from '../../../actors/command/git-checks.ts';
import { matchesSchema } from '../../../model/handlers/built-in-checks.ts';
import type { Check } from '../../../model/handlers/phase.ts';
import { lineOf, milliseconds, optionsOf } from './build-command.ts';
import type { CheckFields } from './check-schema.ts';

/** Builds one check. Commands run in the directory of the file. */
export function buildCheck(fields: CheckFields, directory: string): Check<unknown, unknown> {
  const { name } = fields;
  switch (fields.use) {
    case 'noMergeConflicts':
      return noMergeConflicts({ name, ...treeOptions(fields, directory) });
    case 'nonEmptyDiff':
      return nonEmptyDiff({ name, base: fields.base, ...treeOptions(fields, directory) });
    case 'matchesSchema':
      return matchesSchema(fields.task, z.fromJSONSchema(fields.schema), { name });
    case 'command':
    case undefined: {
      const line = lineOf(fields);
      const { kind, requiredChange, baseline, retries, failures } = fields;
      const pattern = failures === undefined ? undefined : new RegExp(failures, 'u');
      const options = { ...optionsOf(fields, directory), kind, requiredChange, baseline, retries, failures: pattern };
      return commandCheck(name ?? nameOf(line), line, options);
    }
  }
}

// --- internal ---

type TreeFields = Extract<CheckFields, { readonly use: 'noMergeConflicts' | 'nonEmptyDiff' }>;

function treeOptions({ cwd = '.', baseline, retries, timeout }: TreeFields, directory: string) {
  return {
    cwd: resolve(directory, cwd),
    baseline,
    retries,
    timeout: timeout === undefined ? undefined : milliseconds(timeout),
  };
}

/** Derives the name of a check from its command. */
function nameOf(line: ReturnType<typeof lineOf>): string {
  return (typeof line === 'string' ? line : line.join(' ')).replace(/\s+/gu, ' ').trim();
}
