/**
 * The input of a run: validated, and copied as JSON.
 *
 * @module
 */
import type { Pipeline } from '../model/define.ts';
import { PhasegateError } from '../model/errors.ts';
import { toJson } from '../model/json.ts';
import { check } from '../model/schema.ts';

/** The input, or why there is none. */
export type CheckedInput =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** What the pipeline's schema makes of the input. Never rejects. */
export async function inputOf({ name, work }: Pick<Pipeline, 'name' | 'work'>, given: unknown): Promise<CheckedInput> {
  try {
    const checked = work.input ? await check(work.input, given) : undefined;
    if (checked?.ok === false) {
      const problem = `Cannot start a run of pipeline "${name}" as its schema refuses the input:\n  ${checked.refusal.lines.join('\n  ')}`;
      return {
        ok: false,
        error: new PhasegateError('INPUT_INVALID', problem, { hint: 'Pass an `input` that the schema accepts.' }),
      };
    }
    const copy = toJson(checked ? checked.value : given);
    if (copy.ok) return copy;
    const problem = `Cannot start a run of pipeline "${name}" as ${copy.problem.path} of its input is ${copy.problem.found}, which is not JSON`;
    return { ok: false, error: new PhasegateError('INPUT_INVALID', problem, { hint: 'Pass plain data.' }) };
  } catch (error) {
    return { ok: false, error };
  }
}
