/**
 * How facts go up: from a piece of work to its phase, from a phase to its pipeline.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { PhaseReport } from '../model/event.ts';

/** Takes a report that is mere news to its receiver. Returns whether it took it. */
export type Uplink = (report: PhaseReport) => boolean;

const uplinks = new WeakMap<AnyActorRef, Uplink>();

/** Lets an actor take news without an event: an event of XState costs as much as a whole task. */
export function openUplink(actor: AnyActorRef, uplink: Uplink): void {
  uplinks.set(actor, uplink);
}

/** Tells the parent of an actor something; as an event, unless the parent takes it as news. An orphan tells nobody. */
export function report(actor: AnyActorRef, fact: PhaseReport): void {
  const parent = actor._parent;
  if (parent && !uplinks.get(parent)?.(fact)) parent.send(fact);
}

/** Tells what happens to a piece of work: past its phase where the pipeline takes news, else to the phase, which passes it on. */
export function reportWork(work: AnyActorRef, fact: PhaseReport): void {
  const pipeline = work._parent?._parent;
  if (!pipeline || !uplinks.get(pipeline)?.(fact)) work._parent?.send(fact);
}
