/**
 * How often something is seen in records, and where first: of any number of runs, so that not every record can be kept.
 *
 * @module
 */

/** A record that shows something, by its run and number. */
export interface Evidence {
  readonly runId: string;
  readonly seq: number;
}

/** How often something was seen. */
export interface Occurrences {
  readonly count: number;
  /** The records that showed it first, at most ten. */
  readonly first: readonly Evidence[];
}

/** Sightings that are being counted. */
export interface Counting extends Occurrences {
  count: number;
  readonly first: Evidence[];
}

/** Nothing was seen yet. */
export function none(): Counting {
  return { count: 0, first: [] };
}

/** Counts a record that shows it. */
export function count(seen: Counting, at: Evidence): void {
  seen.count += 1;
  if (seen.first.length < MOST_KEPT) seen.first.push(at);
}

// --- internal ---

const MOST_KEPT = 10;
