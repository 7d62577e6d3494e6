/**
 * The lines of a log, which grows by one line at a time.
 *
 * @module
 */

/** A line of progress. */
export interface LogLine {
  /** The number of its record. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** Lines in their order. The list of `all` may have later lines, as logs share it. */
export interface LogLines {
  readonly all: readonly LogLine[];
  readonly count: number;
}

/** Creates an empty log. */
export function noLines(): LogLines {
  return { all: [], count: 0 };
}

/** Returns a log with one more line. It takes the same time for any length, and leaves the given log as it is. */
export function withLine({ all, count }: LogLines, line: LogLine): LogLines {
  const known = lists.get(all);
  // Another log may have continued the list already.
  const list = known?.length === count ? known : all.slice(0, count);
  lists.set(list, list);
  list.push(line);
  return { all: list, count: count + 1 };
}

// --- internal ---

/** The lists that are ours to extend. */
const lists = new WeakMap<readonly LogLine[], LogLine[]>();
