/**
 * Making the phases of a pipeline.
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
 * Makes a phase of a pipeline: an actor of XState where the pipeline may be inspected or its events are listened to, else
 * one that is run directly.
 *
 * @param onEnd Called when a phase that is run directly has ended; an actor tells its parent by an event.
 */
export function spawnPhase(pipeline: AnyActorRef, input: PhaseInput, onEnd: () => void): PhaseActor {
  const logic = phaseLogicOf(pipeline);
  const direct = isListenedTo(pipeline) ? directPhases(logic) : undefined;
  if (direct) return direct(pipeline, input, onEnd);
  return createActor(logic, { id: idOf(input, pipeline), parent: pipeline, input });
}

// --- internal ---

/**
 * The id of a phase's actor: its name, for whoever inspects the run or listens to its events.
 *
 * Where nobody does, all share one: XState keeps a table of event types for ever, and each id makes a new one.
 */
function idOf({ phase }: PhaseInput, self: AnyActorRef): string {
  return isListenedTo(self) ? 'phase' : phase.name;
}

/** The phase machine that was provided; read from the actor's own logic, as XState does for `spawn`. */
function phaseLogicOf(self: AnyActorRef): typeof phaseMachine {
  const { logic } = self as unknown as {
    readonly logic: { readonly implementations: { readonly actors: { readonly phase: typeof phaseMachine } } };
  };
  return logic.implementations.actors.phase;
}
