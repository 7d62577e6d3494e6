/**
 * Inspectors that cannot end what they watch.
 *
 * @module
 */
import type { ActorOptions } from 'xstate';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';

/** Watches every actor of a run, as XState takes it. */
export type Inspector = NonNullable<ActorOptions<typeof pipelineMachine>['inspect']>;

/** An inspector that throws is told so once, and gets nothing more: it must not end what it watches. */
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
