/**
 * Filters for runs, items, memories and records.
 *
 * @module
 */
import type { RunStatus } from '../model/events/event.ts';
import type { ListedRun } from './port.ts';

/** A filter for runs. All conditions must hold. */
export interface RunFilter {
  readonly pipeline?: string | undefined;
  readonly status?: readonly (RunStatus | 'running')[] | undefined;
  /** Only runs with a record, or forked, after this time, in milliseconds since 1970. */
  readonly updatedAfter?: number | undefined;
  /** Only runs without a record, and not forked, after this time. */
  readonly updatedBefore?: number | undefined;
  /** True for runs with a current lease, false for runs without one. */
  readonly leased?: boolean | undefined;
  /** Most runs to list, those with the latest start first. @default no limit */
  readonly limit?: number | undefined;
}

/** A filter for items of the inbox. All conditions must hold. */
export interface InboxFilter {
  readonly runId?: string | undefined;
  /** True for open items, false for closed ones. */
  readonly open?: boolean | undefined;
}

/** A filter for memories. All conditions must hold. */
export interface MemoryFilter {
  readonly scope?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly phase?: string | undefined;
  /** Only memories that come from this run. */
  readonly runId?: string | undefined;
}

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
