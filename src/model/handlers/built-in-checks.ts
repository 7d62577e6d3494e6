/**
 * Built-in checks, which need nothing but the pipeline.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';
import type { CheckResult } from '../review/check.ts';
import { cutList } from '../values/counts.ts';
import { check, isSchema, type StandardSchemaV1 } from '../values/standard-schema.ts';
import type { Check, CheckOptions, ReviewContext } from './phase.ts';
import type { AnyTask, Inputs, Outputs } from './task.ts';

/** The signature of a predicate. */
interface Predicates<O, I, In> {
  test(context: ReviewContext<O, I, In>): CheckResult | Promise<CheckResult>;
}

/**
 * Makes a check of a function. Unlike in `{ name, run }`, its types do not follow from the phase: `outputs` has the type `O`.
 *
 * @param name Names the check in records.
 * @param test Passes with `true` or nothing; a string is the required change. A thrown error is a review error.
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
 * Makes a check that an output of the attempt matches a schema. A task's own `output` schema fails the task instead; this check
 * sends the phase back with the schema's problems, one line each. The output stays as it is.
 *
 * @param task The task that has the output, or its name.
 * @param schema Any Standard Schema, such as one made with zod. A thrown error is a review error.
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
      return {
        passed: false,
        requiredChange: `Fix ${lines.length === 1 ? 'what' : `the ${lines.length} problems that`} the schema finds in the output of task "${about}".`,
        details: cutList(lines, MOST_LINES, (line) => line.slice(0, LONGEST_LINE)).join('\n'),
        failures: [...lines],
      };
    },
  };
}

// --- internal ---

/** Most problems in the details of a failure, and most characters of each. */
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
    `Cannot check the output of task "${task}" as the given value is no Standard Schema`,
    { hint: 'Pass a schema, such as one made with zod.' },
  );
}
