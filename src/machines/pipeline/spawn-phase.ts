/**
 * Creation of the phases of a pipeline.
 *
 * @module
 */
import { createActor, type AnyActorRef } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { PhaseActor } from '../coordinator/run-state.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import { phaseMachine } from '../phase/phase.machine.ts';

/** Creates the actor of a phase, by its name. It is no child in the snapshot of the pipeline, which XState copies at each spawn. */
export function spawnPhase(pipeline: AnyActorRef, input: PhaseInput): PhaseActor {
  return createActor(phaseLogicOf(pipeline), { id: input.phase.name, parent: pipeline, input });
}

/** Throws for a pipeline actor whose phases have no work. @throws PhasegateError `ACTOR_MISSING` */
export function requireWork(pipeline: AnyActorRef, { name }: Plan): void {
  if (phaseLogicOf(pipeline) !== phaseMachine) return;
  throw new PhasegateError('ACTOR_MISSING', `Cannot run pipeline "${name}" as the work of its phases is not provided`, {
    hint: 'Use machineOf(pipeline), which has its work. Or provide it: pipelineMachine.provide({ actors: { phase: phaseLogic({ attempt, review }) } })',
  });
}

// --- internal ---

/** Returns the phase machine that was provided, from the logic of the actor, as XState does for `spawn`. */
function phaseLogicOf(self: AnyActorRef): typeof phaseMachine {
  const { logic } = self as unknown as {
    readonly logic: { readonly implementations: { readonly actors: { readonly phase: typeof phaseMachine } } };
  };
  return logic.implementations.actors.phase;
}
