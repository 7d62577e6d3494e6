/**
 * Work that is held back while a run is brought back to life, instead of begun.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { AttemptOutcome, GateOutcome, Progress } from './ports.ts';

/** Work that has not begun. */
export interface DeferredWork {
  /** Ends it with what it came to before. */
  end(outcome: AttemptOutcome | GateOutcome): void;
  /** Begins it where it was left. */
  begin(progress: Progress): void;
}

/** What has a parent: a phase, whichever way it runs. */
interface Child {
  readonly _parent?: AnyActorRef | undefined;
}

const holders = new WeakSet<AnyActorRef>();
const held = new WeakMap<Child, DeferredWork>();

/** Has the work of all phases of a pipeline held back while something is done. */
export function whileDeferring(pipeline: AnyActorRef, run: () => void): void {
  holders.add(pipeline);
  try {
    run();
  } finally {
    holders.delete(pipeline);
  }
}

/** Whether the work of a phase has to be held back. */
export function mustDefer(phase: Child): boolean {
  return phase._parent !== undefined && holders.has(phase._parent);
}

/** Holds the work of a phase back. */
export function deferWork(phase: Child, what: DeferredWork): void {
  held.set(phase, what);
}

/** The work of a phase that is held back; taken out. */
export function takeDeferred(phase: Child): DeferredWork | undefined {
  const work = held.get(phase);
  held.delete(phase);
  return work;
}
