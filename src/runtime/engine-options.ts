/**
 * Parts of one run in this process.
 *
 * @module
 */
import type { ActorOptions, ActorRefFrom } from 'xstate';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Pipeline } from '../model/definition/define.ts';
import type { Outer, SharedSettings } from './child-runs.ts';
import type { OuterWatch } from './inbox/suspend-waiting.ts';
import type { RunPersistence } from './records/persistence.ts';
import type { RecordLog } from './records/record-log.ts';
import type { RunOptions } from './run.ts';

/** The actor of a run. */
export type PipelineActor = ActorRefFrom<typeof pipelineMachine>;

/** Parts of a run. */
export interface EngineOptions {
  readonly pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>;
  readonly log: RecordLog;
  /** Stores the records; `undefined` for a run without a store. */
  readonly persistence: RunPersistence | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly inspect?: ActorOptions<typeof pipelineMachine>['inspect'] | undefined;
  readonly whileWaiting?: RunOptions['whileWaiting'];
  /** The watch of the run whose task has started this one: if both only wait, it suspends both. @default none */
  readonly within?: OuterWatch | undefined;
  /** Settings that the runs of its tasks share. */
  readonly shared: Omit<SharedSettings, 'attended' | 'memory' | 'tags' | 'within'>;
  /** Room in the limits of the run whose task has started this one. @default unlimited */
  readonly outer?: Outer | undefined;
  /**
   * Prepares the beginning of the run. If it rejects, the run ends with that error and never begins.
   *
   * @returns The input of its actor, and a step to take before the actor starts.
   */
  begin(): Promise<{ readonly input: PipelineInput; readonly prepare?: ((actor: PipelineActor) => void) | undefined }>;
  /** Called when the run has begun, or with the error that prevented it. Without it, a run that cannot begin ends as failed. */
  readonly onStarted?: ((error?: unknown) => void) | undefined;
}
