/**
 * Checks that are ready to use wherever a pipeline runs.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';
import type { CheckResult } from '../review/check.ts';
import { check, isSchema, type StandardSchemaV1 } from '../values/standard-schema.ts';
import type { Check, CheckOptions, ReviewContext } from './phase.ts';
import type { AnyTask, Inputs, Outputs } from './task.ts';

/** What a predicate is asked. */
interface Predicates<O, I, In> {
  test(context: ReviewContext<O, I, In>): CheckResult | Promise<CheckResult>;
}

/**
 * A check that asks a function. The same as `{ name, run }`, but without its types, which cannot be told from the phase: `outputs` has
 * what `O` says.
 *
 * @param name Names the check in records.
 * @param test Passes with `true` or nothing; a string says what has to change. What it throws is a review error.
 *
 * @example
 * ```ts
 * review: { checks: [predicate<{ text: string }>('length', ({ outputs }) => outputs.text.length < 500 || 'Write less.')] }
 * ```
 */
export function predicate<O = Outputs, I = Inputs, In = unknown>(
  name: string,
  test: Predicates<O, I, In>['test'],
  options: CheckOptions = {},
): Check<O, I, In> {
  return { ...options, name, run: (context) => test(context) };
}

/**
 * A check that an output of the attempt is what a schema describes. Unlike a task's own `output` schema, which fails the task,
 * it sends the phase back with what the schema refuses, one line for each problem. The output stays as it is.
 *
 * @param task The task whose output it is, or its name.
 * @param schema Any Standard Schema, such as one made with zod. What it throws is a review error.
 *
 * @example
 * ```ts
 * review: { checks: [matchesSchema('plan', z.object({ steps: z.array(z.string()).min(1) }))] }
 * ```
 */
export function matchesSchema(
  task: AnyTask | string,
  schema: StandardSchemaV1,
  options: Pick<CheckOptions, 'timeout'> & {
    /** Names the check in records. @default 'schema of <task>' */
    readonly name?: string | undefined;
  } = {},
): Check<unknown, unknown> {
  const about = typeof task === 'string' ? task : task.name;
  if (!isSchema(schema)) throw noSchema(about);
  const { name = `schema of ${about}`, timeout } = options;
  return {
    name,
    timeout,
    async run({ outputs }) {
      const checked = await check(schema, outputOf(outputs, about));
      if (checked.ok) return true;
      const { lines } = checked.refusal;
      const left = lines.length > MOST_LINES ? [`… and ${lines.length - MOST_LINES} more`] : [];
      return {
        passed: false,
        requiredChange: `Fix ${lines.length === 1 ? 'what' : `the ${lines.length} problems that`} the schema finds in the output of task "${about}".`,
        details: [...lines.slice(0, MOST_LINES), ...left].map((line) => line.slice(0, LONGEST_LINE)).join('\n'),
        failures: [...lines],
      };
    },
  };
}

// --- internal ---

/** Problems that are told, and characters of each. */
const MOST_LINES = 20;
const LONGEST_LINE = 500;

function outputOf(outputs: unknown, task: string): unknown {
  const all = new Map<string, unknown>(typeof outputs === 'object' && outputs !== null ? Object.entries(outputs) : []);
  if (all.has(task)) return all.get(task);
  const names = [...all.keys()].map((one) => `"${one}"`).join(', ');
  const problem = `Cannot check the output of task "${task}" as its phase has no such task${names && `, but ${names}`}`;
  throw new PhasegateError('DEFINITION_INVALID', problem, { hint: 'Give the name of a task of the phase.' });
}

function noSchema(task: string): PhasegateError {
  return new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot check the output of task "${task}" as what was given is no Standard Schema`,
    { hint: 'Pass a schema, such as one made with zod.' },
  );
}
