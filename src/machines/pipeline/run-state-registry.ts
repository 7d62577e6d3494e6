/**
 * The run state of a pipeline actor, and its listener.
 *
 * @module
 */
import type { AnyActorRef, AnyActorScope } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunTimesFold } from '../../model/events/run-times.ts';
import type { LedgerListener } from '../../model/ledger/ledger.ts';
import { withinOuter } from '../coordinator/nested-quota.ts';
import { createQuota } from '../coordinator/quota.ts';
import { isSentUp } from '../coordinator/parent-events.ts';
import { isLive } from '../coordinator/phase-state.ts';
import { closePhase, type CoordinatorPorts, type RunState } from '../coordinator/run-state.ts';
import { createTimeLimits } from '../coordinator/time-limits.ts';
import type { PhasePorts } from '../phase/ports.ts';
import { openServices, servicesOf, type EventListener, type RunServices } from '../phase/run-services.ts';
import { Stragglers, type StragglerPorts } from '../phase/stragglers.ts';

/** Ports of a run state that has none of its own yet. */
export const NO_PORTS: CoordinatorPorts = {
  spawn() {
    throw new Error('Cannot start a phase as the run state has no ports');
  },
  atRest: (job) => job(),
  settle: () => undefined,
  publish: () => undefined,
  later: () => undefined,
};

/** The services of a run, with its state. */
export interface PipelineServices extends RunServices {
  state?: RunState;
}

/**
 * Sets a listener that gets the events of a pipeline actor instead of `emit`. The actor must not have started.
 *
 * An event of XState and its `emit` cost some 5 µs together, more than the rest of the work of the pipeline for it.
 */
export function setEventListener(pipeline: AnyActorRef, listener: EventListener): void {
  openServices(pipeline).listener = listener;
}

/** Gives the run of a pipeline actor ports of its own, so that all runs of a pipeline share one machine. The actor must not have started. */
export function setPorts(pipeline: AnyActorRef, ports: PhasePorts): void {
  openServices(pipeline).ports = ports;
}

/**
 * Registers the run state of a pipeline actor.
 *
 * @param ports Ports of the coordinator, of stopped work, and of the ledger.
 * @param times Times of a resumed run, from all its records.
 */
export function registerRunState(
  pipeline: AnyActorRef,
  state: RunState,
  ports: CoordinatorPorts & StragglerPorts & LedgerListener,
  times?: RunTimesFold,
): void {
  const services: PipelineServices = openServices(pipeline);
  services.state = state;
  state.ports = ports;
  state.timeLimits = createTimeLimits(pipeline, state, times);
  state.ledger.listener = ports;
  state.quota = withinOuter(createQuota(state), services.outer);
  services.quota = state.quota;
  state.stragglers = new Stragglers(ports);
  services.stragglers = state.stragglers;
}

/** Returns the services of a pipeline actor; `undefined` if it has none. */
export function pipelineServicesOf(pipeline: AnyActorRef): PipelineServices | undefined {
  return servicesOf(pipeline);
}

/** True if a listener gets the events of a pipeline actor. */
export function isListenedTo(pipeline: AnyActorRef): boolean {
  return servicesOf(pipeline)?.listener !== undefined;
}

/**
 * Publishes the events of the outbox: to the listener, or else as emitted events, of which the parent gets some.
 *
 * @param scope The scope of the current transition.
 */
export function publishEvents(scope: AnyActorScope, state: RunState, { listener, isFirstTurn }: RunServices): void {
  if (listener) passEvents(state, listener);
  else if (state.outbox.length > 0 && !isFirstTurn) emitEvents(scope, state);
}

/** Passes the events of the outbox to the listener, if there is one. */
export function flushOutbox(pipeline: AnyActorRef): void {
  const listener = servicesOf(pipeline)?.listener;
  if (listener) passEvents(runStateOf(pipeline), listener);
}

/**
 * Returns the run state of a pipeline actor.
 *
 * @throws PhasegateError `SNAPSHOT_NOT_RESTORABLE` for a restored actor, which has none.
 */
export function runStateOf(pipeline: AnyActorRef): RunState {
  const state = pipelineServicesOf(pipeline)?.state;
  if (!state) throw notRestorable();
  return state;
}

/** True after the decision to end the run, which may not be recorded yet. */
export function isEnding(pipeline: AnyActorRef): boolean {
  return Boolean(runStateOf(pipeline).ended);
}

/** True while a limit counts time of work. After the decision to end the run, only its end may follow in the records. */
export function isTimed(pipeline: AnyActorRef): boolean {
  const { ended, plan } = runStateOf(pipeline);
  return !ended && plan.limits.durationMs !== undefined;
}

/** Stops every live phase, and the timers, without a record. */
export function stopPhases(pipeline: AnyActorRef): void {
  const state = pipelineServicesOf(pipeline)?.state;
  state?.timeLimits?.stop();
  for (const entry of state?.phases.values() ?? []) {
    if (state && isLive(entry)) closePhase(state, entry, 'cancelled');
  }
}

/** Creates the error for restoring a pipeline that has not ended. */
export function notRestorable(): PhasegateError {
  return new PhasegateError(
    'SNAPSHOT_NOT_RESTORABLE',
    'Cannot restore a pipeline from an XState snapshot as the snapshot lacks its phases and its ledger',
    {
      hint: 'Keep the records of the run and start it again with startRun(); snapshots of a single phaseMachine, and of a pipeline that has ended, can be restored.',
    },
  );
}

// --- internal ---

function passEvents({ outbox, timeLimits }: RunState, listener: EventListener): void {
  // A listener may cause further events, which come last.
  for (let event = outbox.shift(); event; event = outbox.shift()) {
    timeLimits?.note(event);
    listener.publish(event);
  }
  // Removes the room that the list has kept for more of them.
  outbox.length = 0;
}

function emitEvents(scope: AnyActorScope, { outbox, timeLimits, run, upward = 'waits' }: RunState): void {
  const parent = scope.self._parent;
  for (const event of outbox.splice(0)) {
    timeLimits?.note(event);
    scope.defer(() => {
      scope.emit(event);
      if (isSentUp(event, upward)) parent?.send({ ...event, run });
    });
  }
}
