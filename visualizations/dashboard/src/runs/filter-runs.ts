/**
 * Filters of the list of runs.
 *
 * @module
 */
import type { UiRun } from '../../../../src/server/api.ts';
import type { Route } from '../route.ts';

/** The conditions of the filter. */
export type RunFilter = Omit<Extract<Route, { readonly page: 'runs' }>, 'page'>;

/** The filter value for all runs that have not ended. */
export const ACTIVE = 'active';

/** Filters runs by all conditions, in their order. */
export function filterRuns(runs: readonly UiRun[], { standing, pipeline, text }: RunFilter): readonly UiRun[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  return runs.filter(
    (run) =>
      (standing === '' || run.standing === standing || (standing === ACTIVE && run.status === 'running')) &&
      (pipeline === '' || run.pipeline === pipeline) &&
      words.every((word) => wordsOf(run).includes(word)),
  );
}

/** The pipelines of these runs, with the number of runs of each. */
export function pipelinesIn(runs: readonly UiRun[]): readonly (readonly [name: string, count: number])[] {
  return [...countedBy(runs, ({ pipeline }) => pipeline)].toSorted(([one], [other]) => one.localeCompare(other));
}

/** The number of runs by status. */
export function standingsIn(runs: readonly UiRun[]): ReadonlyMap<string, number> {
  return countedBy(runs, ({ standing }) => standing);
}

// --- internal ---

function wordsOf({ runId, pipeline, source = '', waiting, worker }: UiRun): string {
  return [runId, pipeline, source, worker ?? '', ...waiting].join('\n').toLowerCase();
}

function countedBy(runs: readonly UiRun[], key: (run: UiRun) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(key(run), (counts.get(key(run)) ?? 0) + 1);
  return counts;
}
