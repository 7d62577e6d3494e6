/**
 * The context of the pipeline machine.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { GivenInput } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { isFields } from '../../model/values/json.ts';
import type { Upward } from '../coordinator/parent-events.ts';
import type { PipelineInput, PipelineOutput } from '../coordinator/run-state.ts';

/** The part of a run that belongs in a snapshot; the rest is in the run state. */
export interface PipelineContext {
  readonly run: string;
  readonly plan: Plan;
  readonly input: unknown;
  readonly given: GivenInput | undefined;
  readonly attended: boolean;
  readonly kept: boolean;
  readonly memory: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly edition: number | undefined;
  readonly upward: Upward;
  /** The end of the run, with the committed outputs, by phase, then task. */
  readonly end: PipelineOutput | null;
}

/** Creates the context of a run that starts. @throws PhasegateError `INPUT_INVALID` for a value that is no input of the machine */
export function contextOf(options: PipelineInput): PipelineContext {
  const value: unknown = options;
  if (!isFields(value) || typeof value['run'] !== 'string' || !isFields(value['plan']) || !value['plan']['phases'])
    throw new PhasegateError(
      'INPUT_INVALID',
      'Cannot begin a run as the input of its machine has no `run` or no `plan`',
      {
        hint: 'Pass `{ run: id, plan: pipeline.plan, input }` as `input` of the actor.',
      },
    );
  const { run, plan, input = null, given, attended = false, kept = false, memory, tags, edition } = options;
  const { upward = 'waits' } = options;
  return { run, plan, input, given, attended, kept, memory, tags, edition, upward, end: null };
}
