/**
 * The state of one phase over all its generations, and the statechart of its life.
 *
 * ```text
 *                     ┌──────────────── live ────────────────┐
 *   pending ─ start ─▶│ working ─┬ retry ───▶ retrying ──┐   │─ approve ▶ approved
 *    │   ▲            │   ▲      ├ rewind ──▶ rewinding ─┤   │─ reject ─▶ rejected
 *    │   │            │   │      └ escalate ▶ escalated   │   │─ fail ───▶ failed
 *    │   │            │   └─────────── restart ───────────┘   │─ skip ───▶ skipped
 *    │   │            └──────────────────────────────────────┘─ cancel ─▶ cancelled
 *    │   ├─ invalidate: a phase that is live or approved runs again, as a new generation; its actor is cancelled
 *    │   └─ reopen: a run that has ended is tried again, and with it each phase that was not approved
 *    └─ an ancestor has ended badly: skip, or keep what was approved before
 * ```
 *
 * `retrying` and `rewinding` are requests of the phase. The coordinator answers with `restart`, or with `hold` if a limit is spent and
 * a person may lift it: then the phase is `escalated`. {@link LIFECYCLE_STEPS} has every step.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { View } from '../../model/ledger/ledger.ts';
import type { GatePlan, PhasePlan } from '../../model/plan/plan.ts';
import type { Correction } from '../../model/revision/revision.ts';
import { NO_MEMORY, type PhaseMemory } from '../phase/phase-memory.ts';
import type { PhaseCommand } from '../phase/phase.machine.ts';
import type { CarryOver } from './carry-over.ts';

/** An empty list, shared by all phases and runs, as a process may have very many. */
export const NONE: readonly never[] = Object.freeze([]);

/** The actor of one phase in one generation, as its pipeline knows it. */
export interface PhaseActor {
  start(): unknown;
  send(command: PhaseCommand): void;
}

/** The demand of a later phase that this one runs again. */
export interface RewindRequest {
  readonly correction: Correction;
  readonly regate: boolean;
  /** The phases that run again after its answer. */
  readonly invalidation: GatePlan['invalidate'];
}

/** The states of a phase, and by the next state the step that leads there. */
export const LIFECYCLE_STEPS = {
  pending: { working: 'start', approved: 'keep', skipped: 'skip' },
  working: {
    retrying: 'retry',
    rewinding: 'rewind',
    escalated: 'escalate',
    approved: 'approve',
    rejected: 'reject',
    failed: 'fail',
    cancelled: 'cancel',
    pending: 'invalidate',
  },
  retrying: { working: 'restart', escalated: 'hold', cancelled: 'cancel', pending: 'invalidate' },
  rewinding: { working: 'restart', escalated: 'hold', failed: 'fail', cancelled: 'cancel' },
  escalated: {
    retrying: 'retry',
    rewinding: 'rewind',
    // The phase confirms that it is held, or a person escalates again.
    escalated: 'escalate',
    approved: 'approve',
    rejected: 'reject',
    failed: 'fail',
    skipped: 'skip',
    cancelled: 'cancel',
    pending: 'invalidate',
  },
  approved: { pending: 'invalidate or reopen' },
  rejected: { pending: 'reopen' },
  failed: { pending: 'reopen' },
  skipped: { pending: 'reopen' },
  cancelled: { pending: 'reopen' },
} as const;

/** A state of {@link LIFECYCLE_STEPS}. */
export type Lifecycle = keyof typeof LIFECYCLE_STEPS;

/** The state of one phase. */
export interface PhaseState {
  readonly index: number;
  readonly phase: PhasePlan;
  /** Written by {@link moveTo} alone. */
  readonly lifecycle: Lifecycle;
  /** Set while it is live. */
  actor: PhaseActor | undefined;
  /** True while it waits in the queue. */
  isQueued: boolean;
  /** True while it counts against `concurrency`. */
  holdsSlot: boolean;
  generation: number;
  /** The number of the latest attempt. */
  attempt: number;
  /** Attempts in the whole run. */
  attempts: number;
  /** True if `attempt` starts over with the next start. A target that is sent back continues to count. */
  startsAfresh: boolean;
  view: View | undefined;
  /** Demands that no attempt has got yet. */
  pendingRequests: readonly RewindRequest[];
  /**
   * Demands for the next try of the run: their requester could not wait for the answer, or a person was asked instead. A commit
   * clears them.
   */
  deferredRequests: readonly RewindRequest[];
  /** Demands of the current generation. */
  activeRequests: readonly RewindRequest[];
  memory: PhaseMemory;
  /** Demands of several reviewers in the latest review, which no attempt has got yet. */
  deferredFeedback: readonly Correction[];
  /** By target, its attempts in the run when a person last decided about this phase. Unchanged outputs up to then do not count. */
  excused: ReadonlyMap<string, number>;
  /** Traces of its attempts for later ones. */
  carryOver: CarryOver | undefined;
  /** The readers that its next commit invalidates, as an ancestor was sent back. */
  invalidation: GatePlan['invalidate'];
  /** The name of an ancestor that has ended without approval: this phase can finish, but not start again. */
  failedAncestor: string | undefined;
  /** The reason of its end without approval, or its error as text. */
  why: string | undefined;
}

/** Creates the state of a phase that has not begun. */
export function newPhaseState(index: number, phase: PhasePlan): PhaseState {
  return {
    index,
    phase,
    lifecycle: 'pending',
    actor: undefined,
    isQueued: false,
    holdsSlot: false,
    generation: 0,
    attempt: 0,
    attempts: 0,
    startsAfresh: true,
    view: undefined,
    pendingRequests: NONE,
    deferredRequests: NONE,
    activeRequests: NONE,
    memory: NO_MEMORY,
    deferredFeedback: NONE,
    excused: NOTHING,
    carryOver: undefined,
    invalidation: 'requester',
    failedAncestor: undefined,
    why: undefined,
  };
}

/** Takes a step of {@link LIFECYCLE_STEPS}. @throws PhasegateError `INTERNAL` if there is no such step. */
export function moveTo(entry: PhaseState, next: Lifecycle): void {
  const steps: Partial<Record<Lifecycle, string>> = LIFECYCLE_STEPS[entry.lifecycle];
  if (steps[next] === undefined) throw noStep(entry, next);
  const writable: { lifecycle: Lifecycle } = entry;
  writable.lifecycle = next;
}

/** True if an actor of the phase works, or waits to. */
export function isLive({ lifecycle }: PhaseState): boolean {
  return lifecycle === 'working' || lifecycle === 'retrying' || lifecycle === 'rewinding' || lifecycle === 'escalated';
}

// --- internal ---

function noStep({ phase, lifecycle }: PhaseState, next: Lifecycle): PhasegateError {
  return new PhasegateError(
    'INTERNAL',
    `Cannot move phase "${phase.name}" from "${lifecycle}" to "${next}" as there is no such step`,
  );
}

const NOTHING: ReadonlyMap<string, number> = new Map();
