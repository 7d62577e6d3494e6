/**
 * Counts of occurrences in records, with the first ones. It covers any number of runs, so it cannot store every record.
 *
 * @module
 */

/** A record that shows an occurrence, by its run and number. */
export interface Evidence {
  readonly runId: string;
  readonly seq: number;
}

/** The number of occurrences, with the first records. */
export interface Occurrences {
  readonly count: number;
  /** The first records that show it, at most ten. */
  readonly first: readonly Evidence[];
}

/** Occurrences during counting. */
export interface Counting extends Occurrences {
  count: number;
  readonly first: Evidence[];
}

/** Makes a count of zero. */
export function none(): Counting {
  return { count: 0, first: [] };
}

/** Counts a record that shows an occurrence. */
export function count(seen: Counting, at: Evidence): void {
  seen.count += 1;
  if (seen.first.length < MOST_KEPT) seen.first.push(at);
}

// --- internal ---

const MOST_KEPT = 10;
