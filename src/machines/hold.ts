/**
 * Work that is held back while a run is brought back to life, instead of begun.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { AttemptOutcome, GateOutcome, Progress } from './ports.ts';

/** Work that has not begun. */
export interface HeldWork {
  /** Ends it with what it came to before. */
  end(outcome: AttemptOutcome | GateOutcome): void;
  /** Begins it where it was left. */
  begin(progress: Progress): void;
}

const holders = new WeakSet<AnyActorRef>();
const held = new WeakMap<AnyActorRef, HeldWork>();

/** Has the work of all phases of a pipeline held back while something is done. */
export function holdingWork(pipeline: AnyActorRef, run: () => void): void {
  holders.add(pipeline);
  try {
    run();
  } finally {
    holders.delete(pipeline);
  }
}

/** Whether a piece of work, which is a child of a phase, has to be held back. */
export function mustHold(work: AnyActorRef): boolean {
  const pipeline = work._parent?._parent;
  return pipeline !== undefined && holders.has(pipeline);
}

/** Holds the work of a phase back. */
export function hold(work: AnyActorRef, what: HeldWork): void {
  if (work._parent) held.set(work._parent, what);
}

/** The work of a phase that is held back; taken out. */
export function takeHeld(phase: AnyActorRef): HeldWork | undefined {
  const work = held.get(phase);
  held.delete(phase);
  return work;
}
