/**
 * How tries ask their pipeline for what they may use, before they begin.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { TimeLimit } from '../../model/plan/policy-schema.ts';

/** What one try may use at most. A class, as many are made, and most are asked for and given back and nothing else. */
export class Reservation {
  readonly phase: string;
  readonly task: string;
  readonly estimate: Estimate;
  /** Whether no handler of the same attempt, or of the same review, is at work. */
  readonly isAlone: () => boolean;
  /** Called once, when the try may begin. */
  readonly go: () => void;
  /** Tokens that are promised and not used yet. */
  tokens = 0;
  /** US dollars that are promised and not used yet. */
  costUsd = 0;

  constructor(phase: string, task: string, estimate: Estimate, go: () => void, isAlone: () => boolean) {
    this.phase = phase;
    this.task = task;
    this.estimate = estimate;
    this.isAlone = isAlone;
    this.go = go;
  }
}

/** Whoever keeps count of what is promised. */
export interface Quota {
  /** Tries that have asked and have not begun, oldest first. */
  readonly waiting: readonly Reservation[];
  /** Has the try begin: now, later, or never where the run ends before. */
  request(reservation: Reservation): void;
  /** The try has used something, and is about to say so. */
  use(reservation: Reservation, used: Report): void;
  /** The try is over, or shall not begin any more. Nothing follows where that was said before. */
  release(reservation: Reservation): void;
  /** Something has changed that tries may wait for. */
  recheck(): void;
  /** Does at once what `look` has put off. */
  recheckNow(): void;
  /** Tries that need so many milliseconds, or more, do not end any more before that limit is spent. */
  expire(limit: TimeLimit, ms: number): void;
}
