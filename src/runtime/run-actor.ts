/**
 * The pipeline actor of one run, with what differs between runs of the same pipeline.
 *
 * @module
 */
import { createActor, type ActorOptions } from 'xstate';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import { setOuterQuota } from '../machines/phase/run-services.ts';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import { setEventListener, setPorts } from '../machines/pipeline/run-state-registry.ts';
import type { RunEvent } from '../model/events/event.ts';
import { bindChildRuns } from './child-runs.ts';
import type { EngineOptions, PipelineActor } from './engine-options.ts';
import type { PartsOwner } from './engine-parts.ts';
import { bindHumanWork } from './inbox/human-work.ts';
import { machineOf, portsOf } from './machine-of.ts';

/** The input of the actor, and the functions that it calls. */
export interface RunActorPorts {
  readonly input: PipelineInput;
  /** Takes the events of the run, in order. */
  readonly onEvent: (event: RunEvent) => void;
  /** Called if the machine itself fails. */
  readonly onError: (error: unknown) => void;
}

/** Creates the actor of a run. It has not started. */
export function createRunActor(
  run: PartsOwner,
  { shared: { clock }, inspect, outer }: Pick<EngineOptions, 'shared' | 'inspect' | 'outer'>,
  { input, onEvent, onError }: RunActorPorts,
): PipelineActor {
  const { pipeline, log, persistence, watch } = run;
  const host = watch?.host ?? persistence?.host;
  const withChildren = bindChildRuns(pipeline, () => run.children);
  const work = bindHumanWork(withChildren, (asking) => run.inbox.ask(asking));
  const actor = createActor(machineOf(pipeline), {
    id: log.runId,
    input,
    ...(inspect && { inspect: safeInspector(inspect) }),
    ...(clock && { clock }),
  });
  setEventListener(actor, onEvent);
  if (outer) setOuterQuota(actor, outer, host);
  if (host || work !== pipeline.work) setPorts(actor, portsOf(work, host));
  actor.subscribe({ error: onError });
  return actor;
}

// --- internal ---

/** Observes every actor of a run, as XState's option does. */
type Inspector = NonNullable<ActorOptions<typeof pipelineMachine>['inspect']>;

/** Wraps an inspector. If it throws, the error is logged once and it gets no more events. */
function safeInspector(inspect: Inspector): Inspector {
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
