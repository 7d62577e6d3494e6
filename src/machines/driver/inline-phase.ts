/**
 * Inline phases: they run without actors of XState, in a pipeline that nobody inspects.
 *
 * The statechart is the same, and XState takes every transition of it. But an actor costs as much as the rest of a phase, and a phase
 * needs one for itself, for each attempt and for each review. So an inline phase is a queue of events and a snapshot, and calls begin
 * and stop its work.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { PhaseReport } from '../../model/events/event.ts';
import type { PhaseActor } from '../coordinator/run-state.ts';
import { clockOf, type Clock } from '../phase/clock.ts';
import type { PhaseContext, PhaseInput } from '../phase/phase-context.ts';
import type { InlineWork, WorkOwner } from '../phase/ports.ts';
import type { Quota } from '../phase/quota-port.ts';
import { deferredOf, report, servicesOf } from '../phase/run-services.ts';
import type { Stragglers } from '../phase/stragglers.ts';
import {
  Scope,
  withoutActors,
  type Chart,
  type PhaseEvent,
  type PhaseMachine,
  type Port,
  type Snapshot,
  type Worker,
} from './inline-statechart.ts';

/** Creates an inline phase. @param onEnd Called when it has ended. */
export type DirectPhases = (pipeline: AnyActorRef, input: PhaseInput, onEnd: () => void) => PhaseActor;

/** Returns the factory of inline phases of a machine; `undefined` if its work has to be actors. */
export function directPhases(machine: PhaseMachine): DirectPhases | undefined {
  const known = made.get(machine);
  if (known) return known.phases;
  const { attempt, review } = machine.implementations.actors;
  const ports = isDirect(attempt) && isDirect(review) ? { attempt, review } : undefined;
  const chart = ports && withoutActors(machine);
  const phases: DirectPhases | undefined =
    ports && chart && ((pipeline, input, onEnd) => new DirectPhase(chart, ports, pipeline, input, onEnd));
  made.set(machine, { phases });
  return phases;
}

// --- internal ---

type Ports = Readonly<Record<Port, InlineWork<unknown, PhaseContext>>>;

const made = new WeakMap<object, { readonly phases: DirectPhases | undefined }>();

/** One inline phase. XState takes it for the actor of the machine. */
class DirectPhase implements PhaseActor, WorkOwner<unknown>, Worker {
  /** The parent that gets the reports. The name is XState's. */
  readonly _parent: AnyActorRef;
  readonly #chart: Chart;
  readonly #ports: Ports;
  #input: PhaseInput | undefined;
  readonly #onEnd: () => void;
  readonly #scope: Scope;
  #events: PhaseEvent[] | undefined = undefined;
  #snapshot: Snapshot | undefined = undefined;
  #work: { stop(): void } | undefined = undefined;
  #isBusy = false;

  constructor(chart: Chart, ports: Ports, pipeline: AnyActorRef, input: PhaseInput, onEnd: () => void) {
    this.#chart = chart;
    this.#ports = ports;
    this._parent = pipeline;
    this.#input = input;
    this.#onEnd = onEnd;
    this.#scope = new Scope(this);
  }

  get clock(): Clock {
    return clockOf(this._parent);
  }

  get quota(): Quota | undefined {
    return servicesOf(this._parent)?.quota;
  }

  get stragglers(): Stragglers | undefined {
    return servicesOf(this._parent)?.stragglers;
  }

  start(): void {
    const input = this.#input;
    if (!input) return;
    this.#input = undefined;
    this.#goOn(undefined, input);
  }

  /** Handles an event, after the current transition if there is one. */
  send(event: PhaseEvent): void {
    if (this.#isBusy) (this.#events ??= []).push(event);
    else this.#goOn(event, undefined);
  }

  /** Begins work, or defers it while the run is restored. */
  begin(port: Port, context: PhaseContext): void {
    const work = this.#ports[port];
    const deferred = deferredOf(this);
    if (!deferred) {
      this.#work = work.begin(context, this);
      return;
    }
    deferred.set(this, {
      begin: (progress) => (this.#work = work.begin(context, this, progress)),
      end: (outcome) => this.done(outcome),
    });
  }

  stop(): void {
    this.#work?.stop();
    this.#work = undefined;
  }

  report(fact: PhaseReport): void {
    report(this, fact);
  }

  done(output: unknown): void {
    this.#work = undefined;
    this.send({ type: 'work.done', output });
  }

  failed(error: unknown): void {
    this.#work = undefined;
    this.send({ type: 'work.failed', error });
  }

  /** Takes the first step, or a transition, and one more for every queued event. */
  #goOn(first: PhaseEvent | undefined, input: PhaseInput | undefined): void {
    this.#isBusy = true;
    try {
      if (input) this.#snapshot = this.#chart.getInitialSnapshot(this.#scope, input);
      for (let event = first ?? this.#events?.shift(); event; event = this.#events?.shift()) {
        if (this.#snapshot?.status !== 'active') break;
        this.#snapshot = this.#chart.transition(this.#snapshot, event, this.#scope);
      }
    } catch (error) {
      this.#break(error);
      return;
    }
    this.#isBusy = false;
    const { status, error } = this.#snapshot ?? {};
    if (status === 'active') return;
    // It stays busy, so later events are ignored.
    this.#isBusy = true;
    if (status === 'error') this.#break(error);
    else if (!deferredOf(this)) this.#onEnd();
  }

  /** Reports an error to the pipeline as XState would. */
  #break(error: unknown): void {
    this.stop();
    this._parent.send({ type: 'xstate.error.actor.phase', actorId: 'phase', error });
  }
}

function isDirect(logic: unknown): logic is InlineWork<unknown, PhaseContext> {
  return typeof logic === 'object' && logic !== null && 'begin' in logic;
}
