/**
 * Material for a task, unless its author chooses it.
 *
 * @module
 */
import type { TaskContext } from '../../model/handlers/task.ts';

/** The input of the run, and all outputs that the task may read, by heading. */
export function allInputs({ input, inputs, context }: TaskContext): Readonly<Record<string, unknown>> {
  return {
    'Input of the run': input,
    'Outputs of earlier phases': { ...inputs },
    'Outputs of earlier tasks of this phase': context,
  };
}
