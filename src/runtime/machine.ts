/**
 * The machines of a pipeline with its work plugged in.
 *
 * @module
 */
import { attemptLogic } from '../actors/attempt.ts';
import { createLingering } from '../actors/lingering.ts';
import { reviewLogic } from '../actors/review.ts';
import { phaseMachine } from '../machines/phase.machine.ts';
import { pipelineMachine } from '../machines/pipeline.machine.ts';
import type { Work } from '../model/compile.ts';
import type { Pipeline } from '../model/define.ts';

/**
 * The XState machine that runs a pipeline: invoke it, spawn it, or create an actor of it, with a `PipelineInput` as input.
 *
 * The same machine for every run of a pipeline.
 */
export function machineOf(pipeline: Pick<Pipeline, 'work'>): typeof pipelineMachine {
  const known = machines.get(pipeline.work) ?? provide(pipeline.work);
  machines.set(pipeline.work, known);
  return known;
}

// --- internal ---

const machines = new WeakMap<Work, typeof pipelineMachine>();

function provide(work: Work): typeof pipelineMachine {
  const lingering = createLingering();
  const phase = phaseMachine.provide({
    actors: { attempt: attemptLogic(work, lingering), review: reviewLogic(work, lingering) },
  });
  return pipelineMachine.provide({ actors: { phase } });
}
