/**
 * Named filters of runs, and their text in the storage of a browser.
 *
 * @module
 */
import { ALL_RUNS, hashOf, type Route, routeOf } from '../route.ts';
import type { RunFilter } from './filter-runs.ts';

/** A named filter. */
export interface KeptFilter {
  readonly name: string;
  /** The address of the list with this filter, from `#` on. */
  readonly hash: string;
}

/** Most filters that are kept. */
export const MOST_FILTERS = 30;

/** Most characters of a name. */
export const LONGEST_FILTER_NAME = 60;

/** The filters of a browser that has kept none of its own. */
export const USUAL_FILTERS: readonly KeptFilter[] = [
  { name: 'Waiting for people', hash: hashOf({ ...ALL_RUNS, standing: 'waiting' }) },
  { name: 'Failed today', hash: hashOf({ ...ALL_RUNS, standing: 'failed', age: 'today' }) },
  { name: 'Queued', hash: hashOf({ ...ALL_RUNS, standing: 'queued' }) },
  { name: 'Highest cost this week', hash: hashOf({ ...ALL_RUNS, age: '7d', sort: 'cost' }) },
];

/** Reads the filters of a stored text. Anything that is no filter is left out, and addresses lead to lists of runs only. */
export function readFilters(text: string | null): readonly KeptFilter[] {
  if (text === null || text.length > LONGEST_TEXT) return USUAL_FILTERS;
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return USUAL_FILTERS;
    const found = new Map(
      value
        .slice(0, MOST_FILTERS)
        .flatMap(filterIn)
        .map((one) => [one.name, one]),
    );
    return [...found.values()];
  } catch {
    return USUAL_FILTERS;
  }
}

/** Adds a filter, or replaces the one of that name. Returns the same filters for a blank name, and if there are too many. */
export function withFilter(filters: readonly KeptFilter[], name: string, filter: RunFilter): readonly KeptFilter[] {
  const short = name.trim().slice(0, LONGEST_FILTER_NAME);
  const added = { name: short, hash: hashOf({ ...ALL_RUNS, ...filter, page: 'runs' }) };
  if (filters.some((one) => one.name === short)) return filters.map((one) => (one.name === short ? added : one));
  return short === '' || filters.length >= MOST_FILTERS ? filters : [...filters, added];
}

/** Renames a filter. Returns the same filters for a name that is blank or taken. */
export function renamed(filters: readonly KeptFilter[], from: string, to: string): readonly KeptFilter[] {
  const name = to.trim().slice(0, LONGEST_FILTER_NAME);
  if (name === '' || filters.some((one) => one.name === name)) return filters;
  return filters.map((one) => (one.name === from ? { ...one, name } : one));
}

// --- internal ---

/** Most characters of the stored text. */
const LONGEST_TEXT = 200_000;

/** Most characters of one address. */
const LONGEST_HASH = 4000;

function filterIn(value: unknown): readonly KeptFilter[] {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('hash' in value)) return [];
  const { name, hash } = value;
  if (typeof name !== 'string' || typeof hash !== 'string' || name.trim() === '' || hash.length > LONGEST_HASH)
    return [];
  const route: Route = routeOf(hash);
  return route.page === 'runs' ? [{ name: name.slice(0, LONGEST_FILTER_NAME), hash: hashOf(route) }] : [];
}
