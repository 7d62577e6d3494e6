/**
 * Faults of stores, processes and clocks.
 *
 * A fault happens at a call of the store. Calls of all processes and people count, but for the poll for messages.
 *
 * @module
 */
import fc from 'fast-check';

/** One fault. `gap` is the number of calls between the fault before and this one. */
export type Fault = { readonly gap: number } & (
  | { /** The store refuses all calls for a time; with `writes` those that write. */
      readonly type: 'busy'; readonly ms: number; readonly writes: boolean }
  | { /** The store takes no records for a time. */
      readonly type: 'full'; readonly ms: number }
  | { /** The call is made late, or its answer comes late. */
      readonly type: 'slow'; readonly ms: number; readonly isDone: boolean }
  | { /** The call fails: before it is made, or after it was, such as after the commit. */
      readonly type: 'fail'; readonly isDone: boolean }
  | { /** The call is made, its acknowledgement is lost, and the store seems busy. */
      readonly type: 'lost' }
  | { /** The call is made or not, and is never answered. */
      readonly type: 'hang'; readonly isDone: boolean }
  | { /** Only the first records of a batch are stored. Then the process dies, or gets an error. */
      readonly type: 'torn'; readonly keep: number; readonly dies: boolean }
  | { /** The process dies before or after the call. `frees` if another process finds that out at once. */
      readonly type: 'die'; readonly isDone: boolean; readonly frees: boolean }
  | { /** The process dies after so many timers, wherever it is then. */
      readonly type: 'kill'; readonly timers: number }
  | { /** Another process resumes the run. Its clock is ahead by some milliseconds. */
      readonly type: 'rival'; readonly skew: number }
  | { /** The process is suspended, and another one resumes the run meanwhile. */
      readonly type: 'suspend'; readonly ms: number }
  | { /** The clock jumps. */
      readonly type: 'jump'; readonly ms: number }
);

/** Generates faults, at most so many for each run. They shrink to none. */
export function faults(maxLength: number): fc.Arbitrary<readonly Fault[]> {
  const gap = fc.nat(14);
  const isDone = fc.boolean();
  const of = <const T extends Fault['type'], R extends object>(type: T, rest: { [K in keyof R]: fc.Arbitrary<R[K]> }) =>
    fc.record({ gap, type: fc.constant(type), ...rest });
  return fc.array(
    fc.oneof<fc.Arbitrary<Fault>[]>(
      of('busy', { ms: fc.nat(45_000), writes: fc.boolean() }),
      of('full', { ms: fc.nat(20_000) }),
      of('slow', { ms: fc.nat(45_000), isDone }),
      of('fail', { isDone }),
      of('lost', {}),
      of('hang', { isDone }),
      of('torn', { keep: fc.nat(4), dies: fc.boolean() }),
      of('die', { isDone, frees: fc.boolean() }),
      of('kill', { timers: fc.integer({ min: 1, max: 60 }) }),
      of('rival', { skew: fc.constantFrom(0, 45_000, 3_600_000) }),
      of('suspend', { ms: fc.integer({ min: 25_000, max: 90_000 }) }),
      of('jump', { ms: fc.oneof(fc.integer({ min: -3_600_000, max: 3_600_000 }), fc.integer({ min: -60_000, max: 60_000 })) }),
    ),
    { maxLength, size: 'max' },
  );
}

/** The faults that are due, one by one. */
export interface FaultPlan {
  /** Counts a call. @returns The fault at this call, if there is one. */
  next(): Fault | undefined;
  /** True if no fault is left. */
  isOver(): boolean;
}

export function createFaultPlan(all: readonly Fault[]): FaultPlan {
  let at = 0;
  let calls = 0;
  return {
    next() {
      const fault = all[at];
      if (!fault || calls++ < fault.gap) return undefined;
      calls = 0;
      at += 1;
      return fault;
    },
    isOver: () => at >= all.length,
  };
}
