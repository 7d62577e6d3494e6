/**
 * Clock and status of an actor of any logic.
 *
 * @module
 */
import type { AnyActorRef, Snapshot } from 'xstate';

/** Timers, as `createActor` takes them; `SimulatedClock` of XState is one. */
export interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  /** Milliseconds since 1970. */
  now?(): number;
}

/** Longest delay that timers keep, in milliseconds, about 24.8 days; longer ones would fire at once. */
export const LONGEST_DELAY = 2_147_483_647;

/** Returns the clock that an actor shares with its system. */
export function clockOf(actor: AnyActorRef): Clock {
  return (actor as unknown as { readonly clock: Clock }).clock;
}

/**
 * Returns the time source of a pipeline: its clock, or its logic.
 *
 * @returns A function that returns milliseconds since 1970; `undefined` if there is no time source.
 */
export function timeOf(pipeline: AnyActorRef): (() => number) | undefined {
  const clock = clockOf(pipeline);
  const { logic } = pipeline as unknown as { readonly logic: Pick<Clock, 'now'> };
  const source = clock.now ? clock : logic;
  return source.now && (() => source.now?.() ?? 0);
}

/** True if an actor has neither ended nor been stopped. */
export function isActive(actor: AnyActorRef): boolean {
  return (actor.getSnapshot() as Snapshot<unknown>).status === 'active';
}

/** Calls back after a delay, however long. Returns a function that prevents it. */
export function after(clock: Clock, ms: number, run: () => void): () => void {
  if (ms > LONGEST_DELAY) return afterLong(clock, ms, run);
  const timer = clock.setTimeout(run, ms);
  return () => clock.clearTimeout(timer);
}

// --- internal ---

/** Chains timers. A function of its own, as V8 keeps all that the functions of a call refer to. */
function afterLong(clock: Clock, ms: number, run: () => void): () => void {
  let timer: unknown;
  function wait(left: number): void {
    timer = clock.setTimeout(
      () => (left > LONGEST_DELAY ? wait(left - LONGEST_DELAY) : run()),
      Math.min(left, LONGEST_DELAY),
    );
  }
  wait(ms);
  return () => clock.clearTimeout(timer);
}
