/**
 * What each view of a run is given.
 *
 * @module
 */
import type { RecordLog } from '../data/records.ts';
import type { Story } from '../data/run-history.ts';
import type { RunRoute } from '../route.ts';

/** A run, as it is to be shown. */
export interface TabProps {
  readonly run: string;
  /** All records that have come. */
  readonly log: RecordLog;
  /** The run up to the record that is looked at. */
  readonly story: Story;
  readonly route: RunRoute;
  /** Whether it is shown as it is, and somebody works on it: then what has begun lasts until now. */
  readonly goesOn: boolean;
}
