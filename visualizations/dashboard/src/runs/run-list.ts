/**
 * The list of all runs, which reads again what has changed only.
 *
 * @module
 */
import type { UiRun } from '../../../../src/server/api.ts';

/** Runs of the server, the latest started first. */
export interface RunList {
  readonly runs: readonly UiRun[];
  /** The version of the changes as of which it was read. */
  readonly version: number;
}

/** A response of `/api/runs`. */
export interface RunsRead {
  readonly runs: readonly UiRun[];
  /** The number of all runs, in the response to a request for what is newer. */
  readonly count?: number;
}

/** A request: for everything, for what is newer and some runs, or for some runs alone. */
export type NextRead = { readonly path: string; readonly ids: readonly string[] | null };

/** The most runs that are read. */
export const MOST_RUNS = 10_000;

/** The request for everything. */
export const ALL: NextRead = { path: `/api/runs?limit=${MOST_RUNS}`, ids: null };

/**
 * Tells what to read next.
 *
 * @param known The list so far; `undefined` if nothing was read.
 * @param changed Ids of the runs that have changed since; `null` if any may have.
 * @returns `undefined` if the list is up to date.
 */
export function nextRead(known: RunList | undefined, changed: readonly string[] | null): NextRead | undefined {
  if (!known) return ALL;
  if (changed !== null && changed.length === 0) return undefined;
  if (changed !== null && changed.length <= MOST_IDS) return { path: pathOf(changed), ids: changed };
  // These may change without a new record.
  const held = known.runs.filter(isHeld).map(({ runId }) => runId);
  const latest = known.runs.reduce((time, { updatedAt }) => Math.max(time, updatedAt), 0);
  if (held.length > MOST_IDS || latest === 0) return ALL;
  return { path: pathOf(held, Math.max(1, latest - MARGIN_MS)), ids: held };
}

/**
 * Joins a response with the list.
 *
 * @returns `undefined` if runs were removed, and everything has to be read.
 */
export function joined(
  known: RunList | undefined,
  { ids }: NextRead,
  { runs, count }: RunsRead,
  version: number,
): RunList | undefined {
  if (!known || ids === null) return { runs, version };
  const next = new Map(known.runs.map((run) => [run.runId, run]));
  for (const id of ids) next.delete(id);
  for (const run of runs) next.set(run.runId, run);
  const all = [...next.values()].toSorted(byStart).slice(0, MOST_RUNS);
  if (count !== undefined && Math.min(count, MOST_RUNS) !== all.length) return undefined;
  return { runs: all, version };
}

// --- internal ---

/** Most ids in one request. */
const MOST_IDS = 100;

/** The clocks of processes that write records may differ by this many milliseconds. */
const MARGIN_MS = 60_000;

function isHeld({ worker, hung, gone, start }: UiRun): boolean {
  return worker !== null || hung !== null || gone !== null || start !== undefined;
}

function byStart(one: UiRun, other: UiRun): number {
  return other.startedAt - one.startedAt || (other.runId > one.runId ? 1 : -1);
}

function pathOf(ids: readonly string[], newer?: number): string {
  const query = new URLSearchParams(newer === undefined ? {} : { newer: String(newer) });
  for (const id of ids) query.append('id', id);
  return `/api/runs?${query.toString()}`;
}
