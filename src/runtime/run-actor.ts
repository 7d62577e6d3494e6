/**
 * The pipeline actor of one run, with what differs between runs of the same pipeline.
 *
 * @module
 */
import { createActor, type ActorOptions } from 'xstate';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import { setOuterQuota, type EventListener } from '../machines/phase/run-services.ts';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import { setEventListener, setPorts } from '../machines/pipeline/run-state-registry.ts';
import { bindChildRuns, type ChildRuns } from './child-runs.ts';
import type { EngineOptions, PipelineActor } from './engine-options.ts';
import type { PartsOwner } from './engine-parts.ts';
import { bindHumanWork } from './inbox/human-work.ts';
import type { WaitWatch } from './inbox/suspend-waiting.ts';
import { machineOf, portsOf } from './machine-of.ts';

/** A run, as its actor knows it: it publishes the events, and is called if the machine itself fails. */
export interface ActorOwner extends PartsOwner, EventListener {
  readonly children: ChildRuns;
  readonly watch: WaitWatch | undefined;
  error(thrown: unknown): void;
}

/** Creates the actor of a run. It has not started. */
export function createRunActor(
  run: ActorOwner,
  { shared: { clock }, inspect, outer }: Pick<EngineOptions, 'shared' | 'inspect' | 'outer'>,
  input: PipelineInput,
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
  setEventListener(actor, run);
  if (outer) setOuterQuota(actor, outer, host);
  if (host || work !== pipeline.work) setPorts(actor, portsOf(work, host));
  actor.subscribe(run);
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
