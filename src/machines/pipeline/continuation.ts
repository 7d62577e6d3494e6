/**
 * Continuation of a run: facts that its records do not have.
 *
 * @module
 */
import type { RunTimesFold } from '../../model/events/run-times.ts';
import type { RunState } from '../coordinator/run-state.ts';

/** The continuation of a run. Times are milliseconds since 1970. */
export interface Continuation {
  readonly now: number;
  /** Times of the run, from all its records. */
  readonly times: RunTimesFold;
  /** The time at which another process was last known to have it. @default the time of its last record */
  readonly leftAt?: number | undefined;
  /** Called first, with the milliseconds of work if the records lack them. */
  readonly next: (state: RunState, workedMs?: number) => void;
}
