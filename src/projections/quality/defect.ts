/**
 * Defects of a run: problems that reviews, checks, tasks and people found, and their outcome.
 *
 * @module
 */
import type { Issue } from '../../model/decision/issue-schema.ts';
import type { Effort } from './effort.ts';

/** The finder of a defect, or the source of a statement about its phase. */
export interface Finder {
  readonly by: 'reviewer' | 'check' | 'worker' | 'person';
  /** The name of the reviewer, the check, or the person, if known. */
  readonly name: string | null;
}

/** The detection of a defect by one gate. */
export interface Detection extends Finder {
  /** The phase whose attempt was judged. */
  readonly phase: string;
  readonly generation: number;
  readonly attempt: number;
  /** The record that reports it. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A statement about which phase made a defect. */
export interface Attribution extends Finder {
  readonly phase: string;
  /** The record that has the statement. */
  readonly seq: number;
  readonly time: number;
}

/** The outcome of a defect: still open, corrected, withdrawn as no defect, or accepted with the phase. */
export type Disposition = 'open' | 'fixed' | 'withdrawn' | 'accepted';

/** One defect. JSON. */
export interface Defect {
  /** Counted from 1, in the order of detection. */
  readonly number: number;
  /** The id of the issue; for a check its name; for other demands a hash of the words. */
  readonly id: string;
  /** The category of the issue, `issue` if it has none; `feedback`, `check` or `rework` for a demand without issues. */
  readonly type: string;
  /** `null` for a demand without issues. */
  readonly severity: Issue['severity'] | null;
  readonly description: string;
  /** The phase that made it, by the latest statement. */
  readonly injected: string;
  /** Statements about that phase, oldest first, without repetitions. */
  readonly attribution: readonly Attribution[];
  /** The first detection. */
  readonly detected: Detection;
  /** Every gate that found it; more than one if an earlier one accepted it. */
  readonly found: readonly Detection[];
  readonly disposition: Disposition;
  /** The gate that found it last before its correction, and the record that reports the correction; `null` if it was not corrected. */
  readonly removed: { readonly phase: string; readonly seq: number; readonly time: number } | null;
  /** The commit that corrected it; `null` if it was not corrected, or if the correction was not approved. */
  readonly fix: { readonly phase: string; readonly version: number } | null;
  /** Records of the corrections that include it. */
  readonly corrections: readonly number[];
  /** Attempts that these corrections led to, by phase. An attempt with several defects counts for each of them. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Its share of the cost of the tasks in these attempts. The shares of all defects add up to all rework of the run. */
  readonly rework: Effort;
}
