/**
 * Alerts: problems of a run in progress.
 *
 * @module
 */

/** The kinds of alerts. */
export type AlertCode =
  /** A gate goes round in a loop, and nobody has broken it. */
  | 'LOOPING'
  /** The same change was demanded again. */
  | 'REPEATING'
  /** A gate has used all its retries. */
  | 'RETRIES_SPENT'
  /** A phase has used all its rewinds of another. */
  | 'REWINDS_SPENT'
  /** A phase was accepted although changes were demanded. */
  | 'ACCEPTED_UNAPPROVED'
  /** A limit of the run is spent, and holds the run or a part of it. */
  | 'LIMIT_REACHED'
  /** A limit of the run is nearly spent. */
  | 'LIMIT_NEAR'
  /** A try, an attempt or a review has reported nothing for long. */
  | 'SILENT';

/** One problem. JSON. */
export interface Alert {
  readonly code: AlertCode;
  /** `problem` if the run cannot continue by itself, `notice` if somebody should look. */
  readonly severity: 'problem' | 'notice';
  /** The phase; `null` for the whole run. */
  readonly phase: string | null;
  /** The number of the record that shows it. */
  readonly seq: number;
  /** The time since which it exists, in milliseconds since 1970. */
  readonly since: number;
  /** The finding, with its numbers. */
  readonly found: string;
  /** The advice. */
  readonly advice: string;
}

/** Writes milliseconds in words, such as `40 s`, `12 min`, `3 h`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
