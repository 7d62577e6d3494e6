/**
 * The actors that machines need, and the errors for machines that lack them.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { PhasePlan, Plan } from '../../model/plan/plan.ts';

/** Throws for a phase actor whose work is not provided. @throws PhasegateError `ACTOR_MISSING` */
export function requireWork(self: AnyActorRef, phase: PhasePlan): void {
  const actors = actorsOf(self);
  // Pure transitions have no actor, and need no work.
  if (actors) requireActors(actors, phase, 'phaseMachine');
}

/** Throws for a pipeline actor whose phases lack their work. @throws PhasegateError `ACTOR_MISSING` */
export function requirePhases(self: AnyActorRef, { phases }: Plan): void {
  const actors = actorsIn(actorsOf(self)?.['phase']) ?? {};
  for (const phase of phases) requireActors(actors, phase, 'pipelineMachine');
}

// --- internal ---

type Actors = Readonly<Record<string, unknown>>;

function requireActors(actors: Actors, { name, gate }: PhasePlan, machine: 'phaseMachine' | 'pipelineMachine'): void {
  const needed = ['attempt', ...(gate ? ['review'] : [])];
  const missing = needed.filter((one) => actors[one] === undefined).map((one) => `\`${one}\``);
  if (missing.length === 0) return;
  const are = missing.length === 1 ? 'actor is' : 'actors are';
  const problem = `Cannot run phase "${name}" as its ${are} not provided: ${missing.join(', ')}`;
  throw new PhasegateError('ACTOR_MISSING', problem, { hint: HINTS[machine] });
}

const HINTS = {
  phaseMachine:
    'Provide them: phaseMachine.provide({ actors: { attempt, review } }), each of them logic such as fromPromise() makes.',
  pipelineMachine:
    'Use machineOf(pipeline), which has its work. Or provide it: pipelineMachine.provide({ actors: { phase: phaseMachine.provide({ actors: { attempt, review } }) } })',
} as const;

/** Returns the actors that the machine of an actor was provided with; `undefined` for other logic. */
function actorsOf(self: AnyActorRef): Actors | undefined {
  return 'logic' in self ? actorsIn(self.logic) : undefined;
}

function actorsIn(logic: unknown): Actors | undefined {
  if (typeof logic !== 'object' || logic === null || !('implementations' in logic)) return undefined;
  const { actors } = logic.implementations as { readonly actors?: Actors };
  return actors;
}
