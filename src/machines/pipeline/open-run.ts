/**
 * The state of a run, opened for its pipeline actor: at the start of the run, or as its journal left it.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import { beginRun } from '../coordinator/begin-run.ts';
import { endIfDone, endRun } from '../coordinator/completion.ts';
import { handleReport } from '../coordinator/handle-report.ts';
import { createRunState, type CoordinatorPorts, type PipelineInput, type RunState } from '../coordinator/run-state.ts';
import { isActive } from '../phase/clock.ts';
import { openServices } from '../phase/run-services.ts';
import type { Replayed } from '../replay/replay.ts';
import { restorePhases } from '../replay/restore-phases.ts';
import type { Continuation } from './continuation.ts';
import { flushOutbox, isListenedTo, NO_PORTS, registerRunState, runStateOf } from './run-state-registry.ts';
import { spawnPhase } from './spawn-phase.ts';

/** Begins the run of a pipeline actor, or resumes the one that {@link continueFrom} has prepared. */
export function openRun(pipeline: AnyActorRef, input: PipelineInput): void {
  const { resume } = openServices(pipeline);
  if (resume) {
    resume();
    return;
  }
  const state = createRunState(input, NO_PORTS);
  state.ports = portsOf(pipeline, state);
  registerRunState(pipeline, state);
  beginRun(state);
  flushOutbox(pipeline);
  state.timeLimits?.start();
}

/**
 * Prepares a pipeline actor that has not started: it resumes a run instead of beginning one.
 *
 * @throws PhasegateError `JOURNAL_DIVERGED` if a phase does not reach the state of its records.
 */
export function continueFrom(
  pipeline: AnyActorRef,
  replayed: Replayed,
  { now, times, leftAt, next }: Continuation,
): void {
  const { state, unrecorded, pending } = replayed;
  state.ports = portsOf(pipeline, state);
  const rest = restorePhases(pipeline, replayed, now);
  registerRunState(pipeline, state, times);
  const { durationMs } = times.at(leftAt);
  const services = openServices(pipeline);
  services.resume = () => {
    let isUnrecorded = unrecorded.length > 0 || durationMs > times.at().durationMs;
    state.outbox.push(...unrecorded);
    services.takeReport = (report) => {
      isUnrecorded = true;
      handleReport(state, report);
    };
    rest.speak(services.takeReport);
    services.takeReport = undefined;
    next(state, isUnrecorded ? durationMs : undefined);
    flushOutbox(pipeline);
    state.timeLimits?.start();
    rest.work();
    if (pending) state.ports.later(pending);
    else endIfDone(state);
    flushOutbox(pipeline);
  };
}

// --- internal ---

function portsOf(self: AnyActorRef, state: RunState): CoordinatorPorts {
  const ports: CoordinatorPorts = {
    spawn: (input) => spawnPhase(self, input),
    atRest(job) {
      state.stragglers?.whenAtRest(() => {
        job();
        ports.publish();
      });
    },
    // One turn later, after the reports of the phases that have just been stopped.
    settle: () => queueMicrotask(() => isActive(self) && self.send({ type: 'settle' })),
    publish() {
      flushOutbox(self);
      if (!isListenedTo(self) && isActive(self) && runStateOf(self).outbox.length > 0) self.send({ type: 'publish' });
    },
    later(job) {
      Promise.resolve(state)
        // An actor that was stopped meanwhile begins nothing more, as nothing of it would be recorded.
        .then((one) => isActive(self) && job(one))
        .catch((error: unknown) => endRun(state, { status: 'failed', error: errorInfo(error, 'INTERNAL') }));
    },
  };
  return ports;
}
