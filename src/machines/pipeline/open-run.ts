/**
 * The state of a run, opened for its pipeline actor: at the start of the run, or as its journal left it.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { beginRun } from '../coordinator/begin-run.ts';
import { endIfDone } from '../coordinator/completion.ts';
import { handleReport } from '../coordinator/handle-report.ts';
import { createRunState, type PipelineInput } from '../coordinator/run-state.ts';
import { openServices } from '../phase/run-services.ts';
import type { Replayed } from '../replay/replay.ts';
import { restorePhases } from '../replay/restore-phases.ts';
import type { Continuation } from './continuation.ts';
import { PipelinePorts } from './pipeline-ports.ts';
import { flushOutbox, NO_PORTS, registerRunState } from './run-state-registry.ts';

/** Begins the run of a pipeline actor, or resumes the one that {@link continueFrom} has prepared. */
export function openRun(pipeline: AnyActorRef, input: PipelineInput): void {
  const { resume } = openServices(pipeline);
  if (resume) {
    resume();
    return;
  }
  const state = createRunState(input, NO_PORTS);
  registerRunState(pipeline, state, new PipelinePorts(pipeline, state));
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
  const ports = new PipelinePorts(pipeline, state);
  state.ports = ports;
  const rest = restorePhases(pipeline, replayed, now);
  registerRunState(pipeline, state, ports, times);
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
