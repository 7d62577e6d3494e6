/**
 * The input of a run: validated, and copied as JSON.
 *
 * @module
 */
import type { PipelineInput, RunState } from '../machines/coordinator/run-state.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { InputInvalidError } from '../model/errors/input-invalid-error.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { GivenInput, RunRecord } from '../model/events/event.ts';
import { isSameJson, toJson } from '../model/values/json.ts';
import { check } from '../model/values/standard-schema.ts';

/** The validated input, or the error. */
export type CheckedInput =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The input before its schema, for the journal; absent if it is not JSON. */
      readonly given: GivenInput | undefined;
    }
  | { readonly ok: false; readonly error: unknown };

/** Applies the pipeline's schema to the input. Never rejects. */
export async function inputOf({ name, work }: Pick<Pipeline, 'name' | 'work'>, given: unknown): Promise<CheckedInput> {
  try {
    const checked = work.input ? await check(work.input, given) : undefined;
    if (checked?.ok === false) {
      const problem = `Cannot start a run of pipeline "${name}" as its schema refuses the input`;
      const hint = 'Pass an `input` that the schema accepts.';
      return { ok: false, error: new InputInvalidError(problem, checked.refusal, hint) };
    }
    const copy = toJson(checked ? checked.value : given);
    if (copy.ok) return { ...copy, given: givenOf(given, copy.value) };
    const problem = `Cannot start a run of pipeline "${name}" as ${copy.problem.path} of its input is ${copy.problem.found}, which is not JSON`;
    return { ok: false, error: new PhasegateError('INPUT_INVALID', problem, { hint: 'Pass plain data.' }) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** The input of the machine of a run that goes on. */
export function inputOfState(
  run: string,
  { plan, input, given, attended, kept, memory, tags, edition }: RunState,
): PipelineInput {
  return { run, plan, input, given, attended, kept, memory, tags, edition };
}

/**
 * Refuses to continue with an input that was masked in the records, as handlers would get the masked text.
 *
 * @param how The requested operation.
 * @throws PhasegateError `INPUT_MASKED`
 */
export function checkUnmasked(how: 'fork' | 'resume' | 'retry', runId: string, records: readonly RunRecord[]): void {
  const first = records[0]?.event;
  if (first?.type !== 'run.started' || !first.masked) return;
  const problem = `Cannot ${how} run ${runId} as \`redact\` has masked its input, and handlers would get the masked text`;
  throw new PhasegateError('INPUT_MASKED', problem, {
    hint: 'Start another run with that input; or pass `allowMasked: true`, if no handler needs the masked text.',
  });
}

/**
 * Validates the input of a fork again, as its pipeline may have another schema than the original run.
 *
 * @throws PhasegateError `INPUT_INVALID`
 */
export async function checkForkInput(
  runId: string,
  { name, work }: Pick<Pipeline, 'name' | 'work'>,
  records: readonly RunRecord[],
): Promise<void> {
  const first = records[0]?.event;
  // A masked input cannot be validated.
  if (!work.input || first?.type !== 'run.started' || first.masked) return;
  const { given, input } = first;
  // Journals of earlier versions lack the original input: they have only the result of the schema.
  if (given === undefined) return;
  const checked = await check(
    work.input,
    typeof given === 'object' ? given.value : given === 'input' ? input : undefined,
  );
  if (checked.ok) return;
  const problem = `Cannot resume run ${runId}, a fork, as the schema of pipeline "${name}" refuses its input:\n  ${checked.refusal.lines.join('\n  ')}`;
  throw new PhasegateError('INPUT_INVALID', problem, {
    hint: 'Resume it with the definition that the run was started with; or start another run, with an `input` that the schema accepts.',
  });
}

// --- internal ---

function givenOf(given: unknown, value: unknown): GivenInput | undefined {
  if (given === undefined) return 'nothing';
  const copy = toJson(given);
  if (!copy.ok) return undefined;
  return isSameJson(copy.value, value) ? 'input' : { value: copy.value };
}
