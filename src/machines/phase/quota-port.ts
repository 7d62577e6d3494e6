/**
 * Port of the quota: tries reserve room in the limits of their run before they begin.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { TimeLimit } from '../../model/plan/policy-schema.ts';

/** The reservation of one try. A class, as there are many, and most are only requested and released. */
export class Reservation {
  readonly phase: string;
  readonly task: string;
  readonly estimate: Estimate;
  /** True if no other handler of the same attempt, or of the same review, works. */
  readonly isAlone: () => boolean;
  /** Called once, when the try may begin. */
  readonly go: () => void;
  /** Reserved tokens that are not used yet. */
  tokens = 0;
  /** Reserved US dollars that are not used yet. */
  costUsd = 0;

  constructor(phase: string, task: string, estimate: Estimate, go: () => void, isAlone: () => boolean) {
    this.phase = phase;
    this.task = task;
    this.estimate = estimate;
    this.isAlone = isAlone;
    this.go = go;
  }
}

/** A reservation for a try of a run that a task has started. */
export class NestedReservation extends Reservation {}

/** Room in the limits of the run whose task has started this one. */
export interface OuterQuota extends Pick<Quota, 'request' | 'release'> {
  /** The task that has started the run, and its phase. */
  readonly phase: string;
  readonly task: string;
  /** The estimate of that task, for which room is reserved already. */
  readonly covered: Estimate;
  /** Calls back once the records of the run so far are stored, and its parent has counted their usage. */
  whenStored(go: () => void): void;
}

/** Room in the limits of a run, with all reservations. */
export interface Quota {
  /** Requests of tries that have not begun, oldest first. */
  readonly waiting: readonly Reservation[];
  /** Starts the try: now, later, or never if the run ends before. */
  request(reservation: Reservation): void;
  /** Counts a try that has begun elsewhere, in an earlier step of its run. @param left The part of its estimate that is not used yet. */
  hold(reservation: Reservation, left: Required<Pick<Estimate, 'tokens' | 'costUsd'>>): void;
  /** Counts usage that the try is about to report. */
  use(reservation: Reservation, used: Report): void;
  /** Releases a try that has ended, or no longer has to begin. A second call does nothing. */
  release(reservation: Reservation): void;
  /** Checks waiting tries again, after the current step. */
  recheck(): void;
  /** Checks waiting tries at once, if a recheck is due. */
  recheckNow(): void;
  /** Refuses tries that need so many milliseconds, or more: they would not end before that limit. */
  expire(limit: TimeLimit, ms: number): void;
}
