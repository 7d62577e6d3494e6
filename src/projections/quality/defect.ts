/**
 * Defects: what reviews, checks, tasks and people found to be wrong in a run, and what became of it.
 *
 * @module
 */
import type { Issue } from '../../model/decision/issue.ts';
import type { Effort } from './effort.ts';

/** Who found something, or said which phase it is of. */
export interface Finder {
  readonly by: 'reviewer' | 'check' | 'worker' | 'person';
  /** Of the reviewer, the check, or the person, as far as known. */
  readonly name: string | null;
}

/** A moment at which a defect was found. */
export interface Detection extends Finder {
  /** The phase whose attempt was judged. */
  readonly phase: string;
  readonly generation: number;
  readonly attempt: number;
  /** The record that says so. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A statement on which phase a defect is of. */
export interface Attribution extends Finder {
  readonly phase: string;
  /** The record that says so. */
  readonly seq: number;
  readonly time: number;
}

/** What became of a defect: it is still there; it was corrected; it was none; it was let pass. */
export type Disposition = 'open' | 'fixed' | 'withdrawn' | 'accepted';

/** One defect. JSON. */
export interface Defect {
  /** From 1, in the order in which they were found. */
  readonly number: number;
  /** Of the issue; the name of a check; else a hash of the words of the demand. */
  readonly id: string;
  /** The category of the issue, `issue` where it has none; `feedback`, `check` or `rework` for a demand without issues. */
  readonly type: string;
  /** `null` for a demand without issues. */
  readonly severity: Issue['severity'] | null;
  readonly description: string;
  /** The phase that it is of, by the latest statement. */
  readonly injected: string;
  /** Every statement on that which was not the one before, oldest first. */
  readonly attribution: readonly Attribution[];
  /** Where it was found first. */
  readonly detected: Detection;
  /** Every gate that found it; more than one where one has let it pass. */
  readonly found: readonly Detection[];
  readonly disposition: Disposition;
  /** The gate that found it last before it was corrected, and the record that says that it was; `null` where it was not. */
  readonly removed: { readonly phase: string; readonly seq: number; readonly time: number } | null;
  /** The commit that corrected it; `null` where it was not corrected, or what did that was not approved. */
  readonly fix: { readonly phase: string; readonly version: number } | null;
  /** Records of the corrections that were told of it. */
  readonly corrections: readonly number[];
  /** Attempts that those led to, by phase. One that several defects led to counts for each of them. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Its share of what tasks took in these attempts. The shares of all defects are all rework of the run. */
  readonly rework: Effort;
}
