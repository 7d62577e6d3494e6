/**
 * The order of the list of runs, as the heads of its columns and the address give it.
 *
 * @module
 */
import { type OrderedRun, orderRuns, type RunOrder, runOrders } from '../../../../src/projections/run/run-order.ts';

/** Columns that the list is sorted by: those of every list of runs, and those that only a table has. */
export type SortColumn = RunOrder | 'name' | 'status' | 'approved';

/** An order: a column, and its direction. */
export interface Sort {
  readonly by: SortColumn;
  readonly direction: 'ascending' | 'descending';
}

/** Parses an order: a column in its usual direction, or the column with `.reversed`. Any other text is the latest start. */
export function sortOf(text: string): Sort {
  const [name = '', how] = text.split('.', 2);
  const by = COLUMNS.find((one) => one === name);
  if (by === undefined) return usual('started');
  return how === 'reversed' ? reversed(usual(by)) : usual(by);
}

/** Formats an order, so that {@link sortOf} can parse it; '' for the latest start. */
export function sortText({ by, direction }: Sort): string {
  if (direction !== usual(by).direction) return `${by}.reversed`;
  return by === 'started' ? '' : by;
}

/** Returns the order after a press on the head of a column: the usual one of the column, or the reverse if it has that already. */
export function nextSort(now: Sort, by: SortColumn): Sort {
  return sortText(now) === sortText(usual(by)) ? reversed(now) : usual(by);
}

/**
 * Sorts runs. Runs that are equal keep their order, and runs without a value come last in both directions.
 *
 * @param now Milliseconds since 1970.
 */
export function sortRuns<T extends OrderedRun>(runs: readonly T[], sort: Sort, now: number): readonly T[] {
  const { by } = sort;
  if (sort.direction === usual(by).direction) return ordered(runs, by, now);
  // Reversed twice, so that equal runs keep their order.
  const all = ordered(runs.toReversed(), by, now).toReversed();
  return [...all.filter((run) => hasValue(run, by)), ...all.filter((run) => !hasValue(run, by))];
}

// --- internal ---

const COLUMNS: readonly SortColumn[] = [...runOrders, 'name', 'status', 'approved'];

/** Names and statuses begin with A, and figures with the largest. */
function usual(by: SortColumn): Sort {
  return { by, direction: by === 'name' || by === 'status' || by === 'tags' ? 'ascending' : 'descending' };
}

function reversed({ by, direction }: Sort): Sort {
  return { by, direction: direction === 'ascending' ? 'descending' : 'ascending' };
}

function ordered<T extends OrderedRun>(runs: readonly T[], by: SortColumn, now: number): readonly T[] {
  switch (by) {
    case 'name':
      return runs.toSorted((one, other) => one.pipeline.localeCompare(other.pipeline));
    case 'status':
      return runs.toSorted((one, other) => one.standing.localeCompare(other.standing));
    case 'approved':
      return runs.toSorted((one, other) => shareOf(other) - shareOf(one));
    case 'started':
    case 'updated':
    case 'worked':
    case 'elapsed':
    case 'cost':
    case 'tokens':
    case 'tags':
      return orderRuns(runs, by, now);
  }
}

function shareOf({ approved, phases }: OrderedRun): number {
  return approved / Math.max(1, phases);
}

/** False if the cell of the run is empty, or has a dash. */
function hasValue({ tags = [], workedMs, costUsd, tokens }: OrderedRun, by: SortColumn): boolean {
  if (by === 'tags') return tags.length > 0;
  if (by === 'worked') return workedMs !== undefined;
  if (by === 'cost') return costUsd > 0;
  return by !== 'tokens' || tokens > 0;
}
