/**
 * Inspectors whose errors cannot end a run.
 *
 * @module
 */
import type { ActorOptions } from 'xstate';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';

/** Observes every actor of a run, as XState's option does. */
export type Inspector = NonNullable<ActorOptions<typeof pipelineMachine>['inspect']>;

/** Wraps an inspector. If it throws, the error is logged once and it gets no more events. */
export function safeInspector(inspect: Inspector): Inspector {
  let failed = false;
  return (event) => {
    if (failed) return;
    try {
      if (typeof inspect === 'function') inspect(event);
      else inspect.next?.(event);
    } catch (error) {
      failed = true;
      console.error('phasegate: the inspector of a run has thrown and gets no more events:', error);
    }
  };
}
