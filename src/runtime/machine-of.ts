/**
 * The machines of a pipeline with its work plugged in.
 *
 * @module
 */
import { attemptLogic } from '../actors/attempt/attempt.ts';
import { reviewLogic } from '../actors/review/review.ts';
import { createStoppedWork } from '../actors/work/stopped-work.ts';
import type { WorkHost } from '../actors/work/work-host.ts';
import { phaseLogic } from '../machines/phase/phase-logic.ts';
import type { PhasePorts } from '../machines/phase/ports.ts';
import { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Work } from '../model/definition/compile.ts';
import type { Pipeline } from '../model/definition/define.ts';

/**
 * The XState machine that runs a pipeline: invoke it, spawn it, or create an actor of it, with a `PipelineInput` as input.
 *
 * Returns the same machine for every run of a pipeline.
 */
export function machineOf({ work }: Pick<Pipeline, 'work'>): typeof pipelineMachine {
  const known = machines.get(work);
  if (known) return known;
  const phase = phaseLogic(portsOf(work));
  const made = Object.assign(pipelineMachine.provide({ actors: { phase } }), { now: () => Date.now() });
  machines.set(work, made);
  return made;
}

/** Fills the ports of the phases of a pipeline with its work. */
export function portsOf(work: Work, host?: WorkHost): PhasePorts {
  const stopped = createStoppedWork();
  return { attempt: attemptLogic(work, stopped, host), review: reviewLogic(work, stopped, host) };
}

// --- internal ---

const machines = new WeakMap<Work, typeof pipelineMachine>();
