/**
 * Services of a run: everything that its phases, and their work, find at the pipeline actor. They are no part of a snapshot.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { AttemptOutcome, GateOutcome, Progress } from './ports.ts';
import type { Quota } from './quota-port.ts';
import type { Stragglers } from './stragglers.ts';

/** Takes a report. */
export type ReportHandler = (report: PhaseReport) => void;

/** Work that has not begun. */
export interface DeferredWork {
  /** Ends it with its recorded outcome. */
  end(outcome: AttemptOutcome | GateOutcome): void;
  /** Begins it from its progress in an earlier process. */
  begin(progress: Progress): void;
}

/** The services of one run. */
export interface RunServices {
  /** Takes reports of phases by a call. An event of XState costs as much as a task. @default reports are sent as events */
  report?: ReportHandler | undefined;
  /** Takes the events of the run, in order, instead of `emit`. It must not throw. */
  listener?: ((event: RunEvent) => void) | undefined;
  /** The quota that tries ask; absent if no limit bounds them. */
  quota?: Quota | undefined;
  /** Work that was stopped and has not ended. */
  stragglers?: Stragglers | undefined;
  /** Deferred work by phase; present while the phases of the run are restored. */
  deferred?: Map<Child, DeferredWork> | undefined;
  /** Resumes a run instead of beginning one; absent for a new run. */
  resume?: (() => void) | undefined;
  /** True until the turn in which the pipeline has started is over. */
  isFirstTurn?: boolean | undefined;
}

/** An actor, or an inline phase, with a parent. */
export interface Child {
  readonly _parent?: AnyActorRef | undefined;
}

const registry = new WeakMap<AnyActorRef, RunServices>();

/** Returns the services of a pipeline actor, and makes them if it has none. */
export function openServices(pipeline: AnyActorRef): RunServices {
  const known = registry.get(pipeline);
  if (known) return known;
  const services: RunServices = {};
  registry.set(pipeline, services);
  return services;
}

/** Returns the services of a pipeline actor; `undefined` for any other actor. */
export function servicesOf(pipeline: AnyActorRef | undefined): RunServices | undefined {
  return pipeline && registry.get(pipeline);
}

/** Reports a fact to the parent of an actor. Without a parent nothing happens. */
export function report({ _parent: parent }: Child, fact: PhaseReport): void {
  if (!parent) return;
  const handler = registry.get(parent)?.report;
  if (handler) handler(fact);
  else parent.send(fact);
}

/** Reports a fact about work: to the pipeline if it takes calls, else to the phase, which passes it on. */
export function reportWork(work: AnyActorRef, fact: PhaseReport): void {
  const phase = work._parent;
  const handler = servicesOf(phase?._parent)?.report;
  if (handler) handler(fact);
  else phase?.send(fact);
}

/** True for a report of a phase, false for any other event of a pipeline. */
export function isReport(event: { readonly type: string }): event is PhaseReport {
  return /^(?:task|phase|review|check|loop|attempt)\./u.test(event.type);
}

/** Defers the work of all phases of a pipeline during a call. */
export function whileDeferring(pipeline: AnyActorRef, run: () => void): void {
  const services = openServices(pipeline);
  services.deferred = new Map();
  try {
    run();
  } finally {
    services.deferred = undefined;
  }
}

/** Returns the deferred work of a phase's run, to which the phase has to add its own; `undefined` if work begins at once. */
export function deferredOf({ _parent: pipeline }: Child): RunServices['deferred'] {
  return servicesOf(pipeline)?.deferred;
}

/** Removes the deferred work of a phase, and returns it. */
export function takeDeferred(phase: Child): DeferredWork | undefined {
  const deferred = deferredOf(phase);
  const work = deferred?.get(phase);
  deferred?.delete(phase);
  return work;
}
