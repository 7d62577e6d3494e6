/**
 * Which runs and records were asked for.
 *
 * @module
 */
import type { ListedRun, RunFilter } from './port.ts';

/** A part of a list. */
export interface Span {
  /** Number of the first, from 1. */
  readonly first: number;
  /** At most so many; `Infinity` for all. */
  readonly count: number;
}

/** What `from` and `limit` mean, odd ones included: all from below 1 are 1, all limits below 0 are 0. */
export function span(from = 1, limit = Infinity): Span {
  return { first: Math.max(1, Math.ceil(from)), count: Math.max(0, Math.floor(limit)) };
}

/** Whether a run is one of those asked for. */
export function matches(run: ListedRun, { pipeline, status, updatedAfter, updatedBefore, leased }: RunFilter): boolean {
  return (
    (pipeline === undefined || run.pipeline === pipeline) &&
    (status === undefined || status.includes(run.status)) &&
    (updatedAfter === undefined || run.updatedAt > updatedAfter) &&
    (updatedBefore === undefined || run.updatedAt <= updatedBefore) &&
    (leased === undefined || (run.lease !== undefined) === leased)
  );
}
