/**
 * Filters of the list of runs.
 *
 * @module
 */
import { hasTag, tagKey } from '../../../../src/model/events/tag-search.ts';
import type { UiRun } from '../../../../src/server/api.ts';
import type { Route } from '../route.ts';

/** The conditions of the filter. */
export type RunFilter = Omit<Extract<Route, { readonly page: 'runs' }>, 'page'>;

/** The filter value for all runs that have not ended. */
export const ACTIVE = 'active';

/** Values of the age of runs, each with its label. */
export const AGES = [
  ['1h', 'last hour'],
  ['today', 'today'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const;

/**
 * Filters runs by all conditions, in their order. An age that is none finds all.
 *
 * @param now Milliseconds since 1970.
 */
export function filterRuns(
  runs: readonly UiRun[],
  { standing, pipeline, tag, age, text }: RunFilter,
  now: number,
): readonly UiRun[] {
  const since = sinceOf(age, now);
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  return runs.filter(
    (run) =>
      (standing === '' || run.standing === standing || (standing === ACTIVE && run.status === 'running')) &&
      (pipeline === '' || run.pipeline === pipeline) &&
      (tag === '' || hasTag(run, tag)) &&
      run.updatedAt >= since &&
      words.every((word) => wordsOf(run).includes(word)),
  );
}

/** The pipelines of these runs, with the number of runs of each. */
export function pipelinesIn(runs: readonly UiRun[]): readonly (readonly [name: string, count: number])[] {
  return [...countedBy(runs, ({ pipeline }) => pipeline)].toSorted(([one], [other]) => one.localeCompare(other));
}

/** The tags of these runs, and the keys with several values, with the number of runs of each, in the order of their text. */
export function tagsIn(runs: readonly UiRun[]): readonly (readonly [tag: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { tags = [] } of runs)
    for (const tag of new Set(tags.flatMap((one) => [one, tagKey(one)]))) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const values = [...counts.keys()].filter((tag) => tag.includes('='));
  const isUseful = (tag: string) =>
    tag.includes('=') || values.filter((one) => tagKey(one) === tag).length !== 1 || isPlain(runs, tag);
  return [...counts].filter(([tag]) => isUseful(tag)).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** The number of runs by status. */
export function standingsIn(runs: readonly UiRun[]): ReadonlyMap<string, number> {
  return countedBy(runs, ({ standing }) => standing);
}

// --- internal ---

/** True if a run has a tag without a value. */
function isPlain(runs: readonly UiRun[], tag: string): boolean {
  return runs.some(({ tags = [] }) => tags.includes(tag));
}

/** The earliest time of an age, in milliseconds since 1970. Today begins at midnight by the user's clock. */
function sinceOf(age: string, now: number): number {
  if (age === 'today') return new Date(now).setHours(0, 0, 0, 0);
  const [, count, unit] = /^(\d{1,4})([hd])$/u.exec(age) ?? [];
  return count === undefined ? -Infinity : now - Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function wordsOf({ runId, pipeline, source = '', waiting, worker, tags = [] }: UiRun): string {
  return [runId, pipeline, source, worker ?? '', ...waiting, ...tags].join('\n').toLowerCase();
}

function countedBy(runs: readonly UiRun[], key: (run: UiRun) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(key(run), (counts.get(key(run)) ?? 0) + 1);
  return counts;
}
