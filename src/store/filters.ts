/**
 * Filters for runs and records.
 *
 * @module
 */
import type { ListedRun, RunFilter } from './port.ts';

/** A part of a list. */
export interface Span {
  /** Number of the first, from 1. */
  readonly first: number;
  /** Most entries; `Infinity` for all. */
  readonly count: number;
}

/** Normalizes `from` and `limit`. Each `from` below 1 becomes 1, and each limit below 0 becomes 0. */
export function span(from = 1, limit = Infinity): Span {
  return { first: Math.max(1, Math.ceil(from)), count: Math.max(0, Math.floor(limit)) };
}

/** True if a run matches a filter. */
export function matches(run: ListedRun, { pipeline, status, updatedAfter, updatedBefore, leased }: RunFilter): boolean {
  return (
    (pipeline === undefined || run.pipeline === pipeline) &&
    (status === undefined || status.includes(run.status)) &&
    (updatedAfter === undefined || run.updatedAt > updatedAfter) &&
    (updatedBefore === undefined || run.updatedAt <= updatedBefore) &&
    (leased === undefined || (run.lease !== undefined) === leased)
  );
}
