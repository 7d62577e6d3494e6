/**
 * The machines of a pipeline with its work plugged in.
 *
 * @module
 */
import { attemptLogic } from '../actors/attempt/attempt.ts';
import { reviewLogic } from '../actors/review/review.ts';
import { createStoppedWork } from '../actors/work/stopped-work.ts';
import { inMemoryHost, type WorkHost } from '../actors/work/work-host.ts';
import { phaseLogic } from '../machines/phase/phase-logic.ts';
import { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Work } from '../model/definition/compile.ts';
import type { Pipeline } from '../model/definition/define.ts';

/**
 * The XState machine that runs a pipeline: invoke it, spawn it, or create an actor of it, with a `PipelineInput` as input.
 *
 * Returns the same machine for every run of a pipeline, unless a host is given.
 */
export function machineOf(pipeline: Pick<Pipeline, 'work'>, host?: WorkHost): typeof pipelineMachine {
  if (host) return provide(pipeline.work, host);
  const known = machines.get(pipeline.work) ?? provide(pipeline.work, inMemoryHost);
  machines.set(pipeline.work, known);
  return known;
}

// --- internal ---

const machines = new WeakMap<Work, typeof pipelineMachine>();

function provide(work: Work, host: WorkHost): typeof pipelineMachine {
  const stopped = createStoppedWork();
  const logic = { attempt: attemptLogic(work, stopped, host), review: reviewLogic(work, stopped, host) };
  const phase = phaseLogic(logic);
  return Object.assign(pipelineMachine.provide({ actors: { phase } }), { now: () => Date.now() });
}
