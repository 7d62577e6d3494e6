/**
 * What is wrong with a run while it goes on.
 *
 * @module
 */

/** What can be wrong. */
export type TroubleCode =
  /** A gate goes round in a loop, and nobody has broken it. */
  | 'LOOPING'
  /** The same change was asked for again. */
  | 'REPEATING'
  /** A gate has asked for changes as often as it may. */
  | 'RETRIES_SPENT'
  /** A phase has sent back another as often as it may. */
  | 'REWINDS_SPENT'
  /** A phase stands though changes were asked for. */
  | 'ACCEPTED_UNAPPROVED'
  /** A limit of the run is spent, and holds it or a part of it. */
  | 'LIMIT_REACHED'
  /** A limit of the run is nearly spent. */
  | 'LIMIT_NEAR'
  /** A try, an attempt or a review has said nothing for long. */
  | 'SILENT';

/** One thing that is wrong. JSON. */
export interface Alert {
  readonly code: TroubleCode;
  /** `problem` where the run does not get on by itself, `notice` where somebody should look. */
  readonly severity: 'problem' | 'notice';
  /** The phase that it is about; `null` for the whole run. */
  readonly phase: string | null;
  /** The record that shows it, by its number. */
  readonly seq: number;
  /** Since when it is so, in milliseconds since 1970. */
  readonly since: number;
  /** What was found, with its numbers. */
  readonly found: string;
  /** What to do. */
  readonly advice: string;
}

/** Milliseconds as they are told, such as `40 s`, `12 min`, `3 h`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
