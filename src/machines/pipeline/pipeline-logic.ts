/**
 * The logic of the actor of a run: its statechart, and all that XState has no place for.
 *
 * @module
 */
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { endIfDone } from '../coordinator/completion.ts';
import { handleReport } from '../coordinator/handle-report.ts';
import { dropOptions } from '../phase/drop-options.ts';
import { isReport, openServices } from '../phase/run-services.ts';
import { shareEmpty } from '../phase/share-empty.ts';
import { notRestorable, pipelineServicesOf, publishEvents, stopPhases } from './run-state-registry.ts';

/** Logic that tells the time. */
export interface TimeSource {
  /** Returns milliseconds since 1970, for a system whose clock has timers alone. @default none: limits of time count all of it */
  readonly now?: (() => number) | undefined;
}

/**
 * Makes a pipeline machine handle the reports of its phases, publish the events of the run, and stop the phases with the run.
 *
 * A report changes the run, and never the state of the statechart. A step of XState without a target costs as much as a task, and a
 * phase makes half a dozen reports. So reports are handled before XState looks for a transition.
 *
 * A snapshot has neither the phases nor the ledger, so a run cannot be resumed from it. XState would restore it and wait for ever, so
 * the actor fails with `SNAPSHOT_NOT_RESTORABLE` at its start.
 */
export function pipelineLogic<M extends AnyStateMachine>(machine: M): M & TimeSource {
  const restoreSnapshot = machine.restoreSnapshot.bind(machine);
  const getInitialSnapshot = machine.getInitialSnapshot.bind(machine);
  const start = machine.start.bind(machine);
  const transition = machine.transition.bind(machine);
  const provide = machine.provide.bind(machine);
  const made: M & TimeSource = Object.assign(machine, {
    provide: (implementations: Parameters<typeof provide>[0]) =>
      Object.assign(pipelineLogic(provide(implementations)), { now: made.now }),
    getInitialSnapshot: (...given: Parameters<typeof getInitialSnapshot>) => shareEmpty(getInitialSnapshot(...given)),
    restoreSnapshot(stored: Parameters<typeof restoreSnapshot>[0], scope: AnyActorScope) {
      openServices(scope.self).isRestored = true;
      return restoreSnapshot(stored, scope);
    },
    start(snapshot: AnyMachineSnapshot, { self }: AnyActorScope) {
      dropOptions(self);
      if (snapshot.status === 'active' && openServices(self).isRestored) throw notRestorable();
      start(snapshot);
    },
    transition(snapshot: AnyMachineSnapshot, event: EventObject, scope: AnyActorScope) {
      if (isEndOfPhase(event)) return snapshot;
      const fact = isReport(event) ? event : undefined;
      const next = fact ? snapshot : shareEmpty(transition(snapshot, event, scope));
      const services = pipelineServicesOf(scope.self);
      const state = services?.state;
      if (!state || snapshot.status !== 'active') return next;
      if (fact) {
        handleReport(state, fact);
        endIfDone(state);
      }
      publishEvents(scope, state, services);
      // The run has ended, or its actor is stopped: XState knows neither its phases nor its timers.
      if (next.status !== 'active') stopPhases(scope.self);
      return next;
    },
  });
  return made;
}

// --- internal ---

/** True for the event of an actor that has ended: the last report of a phase says the same. */
function isEndOfPhase({ type }: { readonly type: string }): boolean {
  return type.startsWith('xstate.done.actor.');
}
