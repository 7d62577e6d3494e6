/**
 * The logic of the actor of a phase: its statechart, and all that the statechart asks for.
 *
 * It sends each report to the parent, begins work after the report of its start, and stops work whose outcome is not awaited. Calls do
 * this. XState keeps what a custom action or an invoked actor refers to until a major garbage collection.
 *
 * @module
 */
import type { AnyActorRef, AnyActorScope, SnapshotFrom } from 'xstate';
import type { PhaseReport } from '../../model/events/event.ts';
import { clockOf, type Clock } from './clock.ts';
import { dropOptions } from './drop-options.ts';
import type { PhaseContext } from './phase-context.ts';
import { phaseMachine } from './phase.machine.ts';
import type { PhasePorts, Progress, WorkEvent, WorkLogic, WorkOwner } from './ports.ts';
import type { Quota } from './quota-port.ts';
import { report, servicesFor, servicesOf } from './run-services.ts';
import { shareEmpty } from './share-empty.ts';
import { reportsOf } from './step-reports.ts';
import type { Stragglers } from './stragglers.ts';

/**
 * Makes the logic of the actor of a phase. For pure transitions use `phaseMachine`. A run may have ports of its own.
 *
 * An actor that is restored from a snapshot begins its attempt, or its review, again.
 *
 * @example
 * ```ts
 * const exercise = phaseLogic({
 *   attempt: fromAsync(async ({ input }) => ({ type: 'done', outputs: { repeat: input.attempt + 1 } })),
 *   review: fromAsync(async () => ({ verdict: approve(), verdicts: {} })),
 * });
 * ```
 */
export function phaseLogic(ports: PhasePorts): typeof phaseMachine {
  const machine = phaseMachine.provide({});
  const restoreSnapshot = machine.restoreSnapshot.bind(machine);
  const getInitialSnapshot = machine.getInitialSnapshot.bind(machine);
  const transition = machine.transition.bind(machine);
  return Object.assign(machine, {
    getInitialSnapshot: (...given: Parameters<typeof getInitialSnapshot>) => shareEmpty(getInitialSnapshot(...given)),
    restoreSnapshot(stored: Parameters<typeof restoreSnapshot>[0], scope: AnyActorScope) {
      servicesFor(scope.self).isRestored = true;
      return restoreSnapshot(stored, scope);
    },
    start(snapshot: PhaseSnapshot, { self }: AnyActorScope) {
      dropOptions(self);
      if (snapshot.status !== 'active') return;
      if (!servicesFor(self).isRestored) for (const fact of reportsOf(snapshot)) report(self, fact);
      beginWork(ports, self, snapshot);
    },
    transition(snapshot: PhaseSnapshot, event: Parameters<typeof transition>[1], scope: AnyActorScope) {
      const { self } = scope;
      try {
        const next = shareEmpty(transition(snapshot, event, scope));
        if (next.value === 'cancelled' || isStop(event)) stopWork(self);
        const facts = reportsOf(next, snapshot);
        for (const fact of facts) report(self, fact);
        if (facts.length > 0) beginWork(ports, self, next);
        return next;
      } catch (error) {
        stopWork(self);
        throw error;
      }
    },
  });
}

// --- internal ---

type PhaseSnapshot = SnapshotFrom<typeof phaseMachine>;

/** The work of each phase that works. One map for all runs, as one of its own for each would take 184 bytes of each run. */
const works = new WeakMap<AnyActorRef, { stop(): void }>();

/** True for the last event of an actor that is stopped. XState takes no transition then. */
function isStop({ type }: { readonly type: string }): boolean {
  return type === 'xstate.stop';
}

/** Begins the work of the state that a phase has entered. */
function beginWork(ports: PhasePorts, self: AnyActorRef, { value, context }: PhaseSnapshot): void {
  const { attempt, review } = servicesFor(self).ports ?? ports;
  if (value === 'running') begin(attempt, context, new PhaseWork(self, ATTEMPT));
  else if (value === 'reviewing') begin(review, context, new PhaseWork(self, REVIEW));
}

function begin<O>(logic: WorkLogic<O>, context: PhaseContext, owner: PhaseWork<O>): void {
  const services = servicesFor(owner.phase);
  const start = (progress?: Progress) => {
    works.set(owner.phase, logic.begin(context, owner, progress));
  };
  if (services.deferred)
    services.deferred.set(owner.phase, { begin: start, end: (outcome) => owner.done(outcome as O) });
  else start();
}

/** Stops the work of a phase, if it has any. */
function stopWork(phase: AnyActorRef): void {
  servicesFor(phase).deferred?.delete(phase);
  const scope = works.get(phase);
  if (!scope) return;
  works.delete(phase);
  scope.stop();
}

/** The events that end work. */
interface EndEvents {
  readonly done: 'attempt.done' | 'review.done';
  readonly failed: Extract<WorkEvent, { readonly error: unknown }>['type'];
}

const ATTEMPT: EndEvents = { done: 'attempt.done', failed: 'attempt.failed' };
const REVIEW: EndEvents = { done: 'review.done', failed: 'review.failed' };

/** One piece of work of a phase, as the logic of the work knows it. */
class PhaseWork<O> implements WorkOwner<O> {
  readonly phase: AnyActorRef;
  readonly #events: EndEvents;

  constructor(phase: AnyActorRef, events: EndEvents) {
    this.phase = phase;
    this.#events = events;
  }

  get clock(): Clock {
    return clockOf(this.phase);
  }

  get quota(): Quota | undefined {
    return servicesOf(this.phase._parent)?.quota;
  }

  get stragglers(): Stragglers | undefined {
    return servicesOf(this.phase._parent)?.stragglers;
  }

  report(fact: PhaseReport): void {
    report(this.phase, fact);
  }

  done(output: O): void {
    this.#end({ type: this.#events.done, output });
  }

  failed(error: unknown): void {
    this.#end({ type: this.#events.failed, error });
  }

  #end(event: {
    readonly type: EndEvents['done'] | EndEvents['failed'];
    readonly output?: O;
    readonly error?: unknown;
  }): void {
    works.delete(this.phase);
    this.phase.send(event);
  }
}
