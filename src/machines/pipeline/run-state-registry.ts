/**
 * Where the board of a pipeline actor is found.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { RunTimesFold } from '../../model/events/run-times.ts';
import { handleLateReport, handleReport, recordRead } from '../coordinator/handle-report.ts';
import { createQuota } from '../coordinator/quota.ts';
import { isLive } from '../coordinator/phase-state.ts';
import { closePhase, type CoordinatorPorts, type RunState } from '../coordinator/run-state.ts';
import { createTimeLimits } from '../coordinator/time-limits.ts';
import { openServices, servicesOf, type ReportHandler, type RunServices } from '../phase/run-services.ts';
import { Stragglers } from '../phase/stragglers.ts';

/** Ports of a board that has none of its own yet. */
export const NO_PORTS: CoordinatorPorts = {
  spawn() {
    throw new Error('Cannot start a phase as the board has no ports');
  },
  atRest: (job) => job(),
  settle: () => undefined,
  publish: () => undefined,
  later: () => undefined,
};

/** The services of a run, with its state. */
interface PipelineServices extends RunServices {
  state?: RunState;
}

/**
 * Has the events of a pipeline actor that has not started handed to a function, instead of emitted.
 *
 * An event of XState and its `emit` cost some 5 µs together, which is more than all else that the pipeline does with it.
 */
export function setEventListener(pipeline: AnyActorRef, listener: RunServices['listener']): void {
  openServices(pipeline).listener = listener;
}

/**
 * Remembers the board of a pipeline actor.
 *
 * @param times Told all records of a run that goes on.
 * @returns What takes reports of its phases.
 */
export function registerRunState(pipeline: AnyActorRef, state: RunState, times?: RunTimesFold): ReportHandler {
  const services: PipelineServices = openServices(pipeline);
  services.state = state;
  state.timeLimits = createTimeLimits(pipeline, state, times);
  const handler = (report: PhaseReport) => {
    handleReport(state, report);
    flushOutbox(pipeline);
  };
  if (services.listener) services.report = handler;
  state.ledger.onAsk = (view, source) => recordRead(state, view, source);
  state.quota = createQuota(state);
  services.quota = state.quota;
  const { ports } = state;
  state.stragglers = new Stragglers({
    take(late) {
      handleLateReport(state, late);
      ports.publish();
    },
    later: (job) => ports.later(job),
  });
  services.stragglers = state.stragglers;
  return handler;
}

/** Whether the events of a pipeline actor are taken directly. */
export function isListenedTo(pipeline: AnyActorRef): boolean {
  return servicesOf(pipeline)?.listener !== undefined;
}

const NOTHING: readonly RunEvent[] = [];

/** Events that the machine has to emit, as nobody takes them directly. */
export function drainOutbox(pipeline: AnyActorRef): readonly RunEvent[] {
  const { outbox, timeLimits } = runStateOf(pipeline);
  if (outbox.length === 0) return NOTHING;
  const events = outbox.splice(0);
  if (timeLimits) for (const event of events) timeLimits.note(event);
  return events;
}

/** Hands events on to whoever takes them directly. */
export function flushOutbox(pipeline: AnyActorRef): void {
  const listener = servicesOf(pipeline)?.listener;
  if (!listener) return;
  const { outbox, timeLimits } = runStateOf(pipeline);
  // A listener may cause further events; they line up behind.
  for (let event = outbox.shift(); event; event = outbox.shift()) {
    timeLimits?.note(event);
    listener(event);
  }
}

/**
 * The board of a pipeline actor.
 *
 * @throws PhasegateError `SNAPSHOT_NOT_RESTORABLE` for an actor that was restored, and so has none.
 */
export function runStateOf(pipeline: AnyActorRef): RunState {
  const state = stateOf(pipeline);
  if (!state) throw notRestorable();
  return state;
}

/** True while a limit counts time of work. Once it is decided that the run ends, nothing but its end may follow in the records. */
export function isTimed(pipeline: AnyActorRef): boolean {
  const { ended, plan } = runStateOf(pipeline);
  return !ended && plan.limits.durationMs !== undefined;
}

/** Stops every phase that is still live, and the timers, without a word: nobody listens any more. */
export function stopPhases(pipeline: AnyActorRef): void {
  const state = stateOf(pipeline);
  state?.timeLimits?.stop();
  for (const entry of state?.phases.values() ?? []) {
    if (state && isLive(entry)) closePhase(state, entry, 'cancelled');
  }
}

/** The error for whoever restores a pipeline that has not ended. */
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

function stateOf(pipeline: AnyActorRef): RunState | undefined {
  const services: PipelineServices | undefined = servicesOf(pipeline);
  return services?.state;
}
