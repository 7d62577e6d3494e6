/**
 * Services of a run: everything that its phases, and their work, find at the pipeline actor. They are no part of a snapshot.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { AttemptOutcome, GateOutcome, PhasePorts, Progress } from './ports.ts';
import type { OuterQuota, Quota } from './quota-port.ts';
import type { Stragglers } from './stragglers.ts';

/** Takes a report. */
export type ReportHandler = (report: PhaseReport) => void;

/** Publishes events. An object, so that a run may be the listener itself. */
export interface EventListener {
  /** Called with each event of the run, in order. It must not throw. */
  publish(event: RunEvent): void;
}

/** Work that has not begun. */
export interface DeferredWork {
  /** Ends it with its recorded outcome. */
  end(outcome: AttemptOutcome | GateOutcome): void;
  /** Begins it from its progress in an earlier process. */
  begin(progress: Progress): void;
}

/** The services of one run. */
export interface RunServices {
  /** Takes reports by a call while phases are restored: the pipeline takes no events before it has started. */
  takeReport?: ReportHandler | undefined;
  /** The ports of this run; absent if it uses those of its machine. */
  ports?: PhasePorts | undefined;
  /** Publishes the events of the run instead of `emit`. */
  listener?: EventListener | undefined;
  /** The quota that tries ask; absent if no limit bounds them. */
  quota?: Quota | undefined;
  /** The quota of the run whose task has started this one; absent if no limit of it bounds them. */
  outer?: OuterQuota | undefined;
  /** Work that was stopped and has not ended. */
  stragglers?: Stragglers | undefined;
  /** Deferred work by phase; present while the phases of the run are restored. */
  deferred?: Map<AnyActorRef, DeferredWork> | undefined;
  /** True for a run, or a phase without one, that was restored from a snapshot of XState. */
  isRestored?: boolean | undefined;
  /** Resumes a run instead of beginning one; absent for a new run. */
  resume?: (() => void) | undefined;
  /** True until the turn in which the pipeline has started is over. */
  isFirstTurn?: boolean | undefined;
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

/**
 * Bounds the run of a pipeline actor by the limits of the run that has started it. The actor must not have started.
 *
 * @param host Calls back once the records so far are stored. @default at once
 */
export function setOuterQuota(
  pipeline: AnyActorRef,
  outer: Omit<OuterQuota, 'whenStored'>,
  host: { whenDurable(go: () => void): void } = { whenDurable: (go) => go() },
): void {
  openServices(pipeline).outer = { ...outer, whenStored: (go) => host.whenDurable(go) };
}

/** Returns the services of the run of a phase; its own for a phase without a pipeline. */
export function servicesFor(phase: AnyActorRef): RunServices {
  return servicesOf(phase._parent) ?? openServices(phase);
}

/** Reports a fact about a phase, or its work, to the parent of the phase. Without a parent nothing happens. */
export function report({ _parent: parent }: AnyActorRef, fact: PhaseReport): void {
  if (!parent) return;
  const takeReport = registry.get(parent)?.takeReport;
  if (takeReport) takeReport(fact);
  else parent.send(fact);
}

/** True for a report of a phase, false for any other event of a pipeline. */
export function isReport(event: { readonly type: string }): event is PhaseReport {
  return REPORT_TYPES.has(event.type);
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

/** Removes the deferred work of a phase, and returns it. */
export function takeDeferred(phase: AnyActorRef): DeferredWork | undefined {
  const deferred = servicesOf(phase._parent)?.deferred;
  const work = deferred?.get(phase);
  deferred?.delete(phase);
  return work;
}

// --- internal ---

const REPORTS: Readonly<Record<PhaseReport['type'], true>> = {
  'attempt.unchanged': true,
  'check.baselined': true,
  'loop.detected': true,
  'phase.approved': true,
  'phase.escalated': true,
  'phase.failed': true,
  'phase.reflected': true,
  'phase.rejected': true,
  'phase.retrying': true,
  'phase.rewinding': true,
  'phase.started': true,
  'phase.warned': true,
  'review.decided': true,
  'review.started': true,
  'review.waiting': true,
  'task.answered': true,
  'task.asked': true,
  'task.completed': true,
  'task.failed': true,
  'task.reported': true,
  'task.retrying': true,
  'task.started': true,
};

const REPORT_TYPES: ReadonlySet<string> = new Set(Object.keys(REPORTS));
