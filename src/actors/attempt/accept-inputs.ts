/**
 * Validation of a phase's inputs by its schema.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { AttemptOutcome } from '../../machines/phase/ports.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Inputs } from '../../model/handlers/task.ts';
import { inputsForHandler } from '../../model/ledger/input-view.ts';
import { check, type StandardSchemaV1 } from '../../model/values/standard-schema.ts';

/** The inputs for the tasks of an attempt, or the outcome of an attempt that cannot have them. */
export type CheckedInputs = { readonly inputs: Inputs } | { readonly outcome: AttemptOutcome };

/**
 * Validates the inputs of an attempt before its tasks begin. If the schema refuses an output of a phase that the gate may send
 * back, that phase is sent back. Otherwise the attempt fails.
 */
export async function checkInputs(
  schema: StandardSchemaV1,
  { origin: { phase }, inputs }: PhaseContext,
): Promise<CheckedInputs> {
  try {
    const checked = await check(schema, inputsForHandler(inputs));
    if (checked.ok && isInputs(checked.value)) return { inputs: checked.value };
    const { lines, roots } = checked.ok
      ? { lines: ['(root): the schema did not return an object'], roots: [] }
      : checked.refusal;
    const target = roots.find((name) => phase.gate?.targets.includes(name));
    const problem = `Cannot start phase "${phase.name}" as its input schema refuses its inputs:\n  ${lines.join('\n  ')}`;
    if (target !== undefined) return { outcome: { type: 'rework', phase: target, feedback: lines.join('\n') } };
    const hint = 'Correct the phase that produced the input, or let the gate of this phase send that phase back.';
    return {
      outcome: { type: 'failed', error: errorInfo(new PhasegateError('INPUT_INVALID', problem, { hint })) },
    };
  } catch (thrown) {
    return { outcome: { type: 'failed', error: errorInfo(thrown) } };
  }
}

// --- internal ---

function isInputs(value: unknown): value is Inputs {
  return typeof value === 'object' && value !== null;
}
