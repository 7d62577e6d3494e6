/**
 * The input of a run: validated, and copied as JSON.
 *
 * @module
 */
import type { Pipeline } from '../model/define.ts';
import { PhasegateError } from '../model/errors.ts';
import type { RunRecord } from '../model/event.ts';
import { isSameJson, toJson } from '../model/json.ts';
import { check } from '../model/schema.ts';

/** The input, or why there is none. */
export type CheckedInput =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What was given, where the schema has made something else of it. */
      readonly given?: unknown;
    }
  | { readonly ok: false; readonly error: unknown };

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
    if (copy.ok) return checked ? { ...copy, ...givenOf(given, copy.value) } : copy;
    const problem = `Cannot start a run of pipeline "${name}" as ${copy.problem.path} of its input is ${copy.problem.found}, which is not JSON`;
    return { ok: false, error: new PhasegateError('INPUT_INVALID', problem, { hint: 'Pass plain data.' }) };
  } catch (error) {
    return { ok: false, error };
  }
}

/**
 * Validates the input of a fork anew: its pipeline may have another schema than the run that it was made of.
 *
 * @throws PhasegateError `INPUT_INVALID`
 */
export async function checkForkInput(
  runId: string,
  { name, work }: Pick<Pipeline, 'name' | 'work'>,
  records: readonly RunRecord[],
): Promise<void> {
  const first = records[0]?.event;
  if (!work.input || first?.type !== 'run.started') return;
  const checked = await check(work.input, 'given' in first ? first.given : first.input);
  if (checked.ok) return;
  const problem = `Cannot go on with run ${runId}, a fork, as the schema of pipeline "${name}" refuses its input:\n  ${checked.refusal.lines.join('\n  ')}`;
  throw new PhasegateError('INPUT_INVALID', problem, {
    hint: 'Go on with the definition that the run was started with; or start another run, with an `input` that the schema accepts.',
  });
}

// --- internal ---

/** What was given, if it is JSON and not what has come of it. */
function givenOf(given: unknown, value: unknown): { readonly given?: unknown } {
  const copy = toJson(given);
  return copy.ok && !isSameJson(copy.value, value) ? { given: copy.value } : {};
}
