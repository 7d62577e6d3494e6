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
  | Refusal
  | Answer
  | Torn
  | Death
  | Rival
  /** The clock jumps by some milliseconds. Timers do not. */
  | { readonly type: 'jump'; readonly ms: number }
);

/** The store refuses calls for a time: all or those that write, with `STORE_BUSY`; or records alone, with `STORE_FULL`. */
type Refusal =
  | { readonly type: 'busy'; readonly ms: number; readonly writes: boolean }
  | { readonly type: 'full'; readonly ms: number };

/** The answer to a call is late, wrong or missing. `isDone` if the call is made before that, such as an error after the commit. */
type Answer =
  | { readonly type: 'slow'; readonly ms: number; readonly isDone: boolean }
  | { readonly type: 'fail'; readonly isDone: boolean }
  /** The call is made and its acknowledgement is lost. The store seems busy, so the call is made again. */
  | { readonly type: 'lost' }
  | { readonly type: 'hang'; readonly isDone: boolean };

/** Only the first records of a batch are stored. Then the process dies, or gets an error. */
interface Torn {
  readonly type: 'torn';
  readonly keep: number;
  readonly dies: boolean;
}

/** The process dies: before or after the call; or after so many timers, wherever it is then. */
type Death =
  /** `frees` if another process of the machine finds out at once that the holder of the lease is gone. */
  | { readonly type: 'die'; readonly isDone: boolean; readonly frees: boolean }
  | { readonly type: 'kill'; readonly timers: number };

/** Another process resumes the run. */
type Rival =
  /** Its clock is ahead by some milliseconds, so it may take a lease that is valid. */
  | { readonly type: 'rival'; readonly skew: number }
  /** The first process is suspended meanwhile, before the call or before it hears of its success. */
  | { readonly type: 'suspend'; readonly ms: number; readonly isDone: boolean };

/** All types of faults, sorted. */
export const ALL_FAULTS: readonly Fault['type'][] = [
  'busy',
  'die',
  'fail',
  'full',
  'hang',
  'jump',
  'kill',
  'lost',
  'rival',
  'slow',
  'suspend',
  'torn',
];

/** Generates faults, at most so many for each run. They shrink to none. */
export function faults(maxLength: number): fc.Arbitrary<readonly Fault[]> {
  const one = fc.oneof<fc.Arbitrary<Fault>[]>(
    fc.record({ gap, type: fc.constant('busy'), ms: fc.nat(45_000), writes: fc.boolean() }),
    fc.record({ gap, type: fc.constant('full'), ms: fc.nat(20_000) }),
    fc.record({ gap, type: fc.constant('slow'), ms: fc.nat(45_000), isDone: fc.boolean() }),
    fc.record({ gap, type: fc.constant('fail'), isDone: fc.boolean() }),
    fc.record({ gap, type: fc.constant('lost') }),
    fc.record({ gap, type: fc.constant('hang'), isDone: fc.boolean() }),
    fc.record({ gap, type: fc.constant('torn'), keep: fc.nat(4), dies: fc.boolean() }),
    fc.record({ gap, type: fc.constant('die'), isDone: fc.boolean(), frees: fc.boolean() }),
    fc.record({ gap, type: fc.constant('kill'), timers: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ gap, type: fc.constant('rival'), skew: fc.constantFrom(0, 45_000, 3_600_000) }),
    fc.record({
      gap,
      type: fc.constant('suspend'),
      ms: fc.integer({ min: 25_000, max: 90_000 }),
      isDone: fc.boolean(),
    }),
    fc.record({ gap, type: fc.constant('jump'), ms: jumps }),
  );
  return fc.array(one, { maxLength, size: 'max' });
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

// --- internal ---

/** The number of calls between two faults. */
const gap = fc.nat(14);

/** Jumps of a clock, in milliseconds: within the time of a lease, and beyond it. */
const jumps = fc.oneof(fc.integer({ min: -3_600_000, max: 3_600_000 }), fc.integer({ min: -60_000, max: 60_000 }));
