/**
 * The props of the views of a run.
 *
 * @module
 */
import type { RecordLog } from '../data/records.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import type { RunRoute } from '../route.ts';

/** A run as its views show it. */
export interface TabProps {
  readonly run: string;
  /** All records so far. */
  readonly log: RecordLog;
  /** The run as of the selected record. */
  readonly moment: RunAtRecord;
  readonly route: RunRoute;
  /** True if the page shows the latest state, and a process works on the run. Open bars then last until now. */
  readonly goesOn: boolean;
}
