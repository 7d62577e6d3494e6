/**
 * The context of the pipeline machine.
 *
 * @module
 */
import type { GivenInput } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
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

/** Creates the context of a run that starts. */
export function contextOf(options: PipelineInput): PipelineContext {
  const { run, plan, input = null, given, attended = false, kept = false, memory, tags, edition } = options;
  const { upward = 'waits' } = options;
  return { run, plan, input, given, attended, kept, memory, tags, edition, upward, end: null };
}
