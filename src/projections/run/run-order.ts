/**
 * Order of runs in lists, and their durations. Both need the summaries of runs only.
 *
 * @module
 */
import type { RunInfo } from './run-info.ts';

/** Columns that lists are sorted by. */
export const runOrders = ['started', 'updated', 'worked', 'elapsed', 'cost', 'tokens', 'tags'] as const;

/** A column that lists are sorted by. */
export type RunOrder = (typeof runOrders)[number];

/** A run of a list, with its status in one word. */
export type OrderedRun = RunInfo & { readonly standing: string };

/**
 * Milliseconds of work of a run, without waiting for people; `undefined` if an earlier version wrote its row.
 *
 * @param now Milliseconds since 1970. A run that a process works on has worked since its latest record.
 */
export function workedMsOf({ workedMs, standing, updatedAt }: OrderedRun, now: number): number | undefined {
  if (workedMs === undefined) return undefined;
  return standing === 'running' ? workedMs + Math.max(0, now - updatedAt) : workedMs;
}

/** Milliseconds from the start of a run to its end; to now if it has not ended. */
export function elapsedMsOf({ status, startedAt, updatedAt }: RunInfo, now: number): number {
  return Math.max(0, (status === 'running' ? now : updatedAt) - startedAt);
}

/**
 * Sorts runs: the latest, longest or largest first; by tags in the order of their text, with runs without tags last. Runs that are equal
 * keep their order.
 */
export function orderRuns<T extends OrderedRun>(runs: readonly T[], by: RunOrder, now: number): readonly T[] {
  if (by === 'tags') return runs.toSorted((one, other) => byText(tagText(one), tagText(other)));
  const sizes = new Map(runs.map((run) => [run, sizeOf(run, by, now)]));
  return runs.toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0));
}

// --- internal ---

function sizeOf(run: OrderedRun, by: Exclude<RunOrder, 'tags'>, now: number): number {
  switch (by) {
    case 'started':
      return run.startedAt;
    case 'updated':
      return run.updatedAt;
    case 'worked':
      return workedMsOf(run, now) ?? -1;
    case 'elapsed':
      return elapsedMsOf(run, now);
    case 'cost':
      return run.costUsd;
    case 'tokens':
      return run.tokens;
  }
}

function tagText({ tags = [] }: OrderedRun): string {
  return tags.join(' ');
}

function byText(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '' || other === '') return one === '' ? 1 : -1;
  return one < other ? -1 : 1;
}
