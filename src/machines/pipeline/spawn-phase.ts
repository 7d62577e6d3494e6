/**
 * Creation of the phases of a pipeline.
 *
 * @module
 */
import { createActor, type AnyActorRef } from 'xstate';
import type { PhaseActor } from '../coordinator/run-state.ts';
import { directPhases } from '../driver/inline-phase.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import type { phaseMachine } from '../phase/phase.machine.ts';
import { isListenedTo } from './run-state-registry.ts';

/**
 * Creates a phase: inline if a listener gets the events of the pipeline, else an actor of XState, which can be inspected.
 *
 * @param onEnd Called when an inline phase has ended. An actor sends an event to its parent.
 */
export function spawnPhase(pipeline: AnyActorRef, input: PhaseInput, onEnd: () => void): PhaseActor {
  const logic = phaseLogicOf(pipeline);
  const direct = isListenedTo(pipeline) ? directPhases(logic) : undefined;
  if (direct) return direct(pipeline, input, onEnd);
  return createActor(logic, { id: idOf(input, pipeline), parent: pipeline, input });
}

// --- internal ---

/**
 * Returns the id of the actor of a phase: its name, for inspectors.
 *
 * With a listener all share one id: XState keeps a table of event types for ever, and each id adds one.
 */
function idOf({ phase }: PhaseInput, self: AnyActorRef): string {
  return isListenedTo(self) ? 'phase' : phase.name;
}

/** Returns the phase machine that was provided, from the logic of the actor, as XState does for `spawn`. */
function phaseLogicOf(self: AnyActorRef): typeof phaseMachine {
  const { logic } = self as unknown as {
    readonly logic: { readonly implementations: { readonly actors: { readonly phase: typeof phaseMachine } } };
  };
  return logic.implementations.actors.phase;
}
