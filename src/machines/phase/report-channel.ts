/**
 * How facts go up: from a piece of work to its phase, from a phase to its pipeline.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { PhaseReport } from '../../model/events/event.ts';

/** Takes a report. */
export type ReportHandler = (report: PhaseReport) => void;

const handlers = new WeakMap<AnyActorRef, ReportHandler>();

/** Lets an actor take the reports of its children by a call instead of an event, which in XState costs as much as a task. */
export function setReportHandler(actor: AnyActorRef, handler: ReportHandler): void {
  handlers.set(actor, handler);
}

/** Has the children of an actor send their reports as events again. */
export function clearReportHandler(actor: AnyActorRef): void {
  handlers.delete(actor);
}

/** Tells the parent of an actor something. An orphan tells nobody. */
export function report(actor: Pick<AnyActorRef, '_parent'>, fact: PhaseReport): void {
  const parent = actor._parent;
  if (!parent) return;
  const handler = handlers.get(parent);
  if (handler) handler(fact);
  else parent.send(fact);
}

/** Tells what happens to a piece of work: past its phase where the pipeline takes calls, else to the phase, which passes it on. */
export function reportWork(work: AnyActorRef, fact: PhaseReport): void {
  const phase = work._parent;
  const handler = phase?._parent && handlers.get(phase._parent);
  if (handler) handler(fact);
  else phase?.send(fact);
}

/** Tells a report of a phase from what else a pipeline is told. */
export function isReport(event: { readonly type: string }): event is PhaseReport {
  return /^(?:task|phase|review|check|loop|attempt)\./u.test(event.type);
}
