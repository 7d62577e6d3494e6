/**
 * Which runs are listed.
 *
 * @module
 */
import type { UiRun } from '../../../../src/server/api.ts';
import type { Route } from '../route.ts';

/** What runs have to be. */
export type RunFilter = Omit<Extract<Route, { readonly page: 'runs' }>, 'page'>;

/** `active` stands for every run that has not ended. */
export const ACTIVE = 'active';

/** Runs that are all of what is wanted, in their order. */
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

/** What there is to choose from, with how many runs each has. */
export function pipelinesIn(runs: readonly UiRun[]): readonly (readonly [name: string, count: number])[] {
  return [...countedBy(runs, ({ pipeline }) => pipeline)].toSorted(([one], [other]) => one.localeCompare(other));
}

/** How many runs stand in which way. */
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
