/**
 * A run that goes on: facts that its records do not have.
 *
 * @module
 */
import type { RunTimesFold } from '../../model/events/run-times.ts';
import type { RunState } from '../coordinator/run-state.ts';

/** A run that goes on. Times are milliseconds since 1970. */
export interface Continuation {
  readonly now: number;
  /** Told all its records. */
  readonly times: RunTimesFold;
  /** When another process was last known to have it. @default when its last record was made */
  readonly leftAt?: number | undefined;
  /** Called before anything else is done, with the milliseconds of work if the records do not tell them. */
  readonly next: (state: RunState, workedMs?: number) => void;
}
