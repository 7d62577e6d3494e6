/**
 * The actors that machines need, and the errors for machines that lack them.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../model/errors.ts';
import type { PhasePlan, Plan } from '../model/plan.ts';

/** Refuses a phase actor whose work is not provided. @throws PhasegateError `ACTOR_MISSING` */
export function requireWork(self: AnyActorRef, phase: PhasePlan): void {
  const actors = actorsOf(self);
  // Without an actor its transitions are taken as pure functions, which need no work.
  if (actors) requireActors(actors, phase, 'phaseMachine');
}

/**
 * Refuses a pipeline actor whose phases lack their work, and a pipeline that is no actor.
 *
 * @throws PhasegateError `ACTOR_MISSING`, `PIPELINE_NOT_PURE`
 */
export function requirePhases(self: AnyActorRef, { phases }: Plan): void {
  const phaseLogic = actorsOf(self)?.['phase'];
  if (phaseLogic === undefined || hasSnapshot(self)) throw notPure();
  const actors = actorsIn(phaseLogic) ?? {};
  for (const phase of phases) requireActors(actors, phase, 'pipelineMachine');
}

/** The error for a pipeline whose transitions are taken without an actor, as `xstate/graph` does. */
export function notPure(): PhasegateError {
  return new PhasegateError(
    'PIPELINE_NOT_PURE',
    'Cannot take transitions of a pipeline without an actor, as getShortestPaths() and createTestModel() do, as its phases and its ledger are not in its snapshot',
    {
      hint: 'Explore a phase instead: phaseModel() goes with getShortestPaths() and createTestModel(). Of a pipeline createActor(machineOf(pipeline), …) makes an actor.',
    },
  );
}

// --- internal ---

/** An actor that begins has no snapshot yet, and XState throws. One that stands for it as there is no actor has a snapshot. */
function hasSnapshot(self: AnyActorRef): boolean {
  try {
    const snapshot: unknown = self.getSnapshot();
    return snapshot !== undefined;
  } catch {
    return false;
  }
}

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

/** The actors that the machine of an actor was provided with; `undefined` for an actor of another kind. */
function actorsOf(self: AnyActorRef): Actors | undefined {
  return 'logic' in self ? actorsIn(self.logic) : undefined;
}

function actorsIn(logic: unknown): Actors | undefined {
  if (typeof logic !== 'object' || logic === null || !('implementations' in logic)) return undefined;
  const { actors } = logic.implementations as { readonly actors?: Actors };
  return actors;
}
