/**
 * Runs in the form that the dashboard shows.
 *
 * @module
 */
import { hasTag } from '../model/events/tag-search.ts';
import { runsAbove } from '../model/handlers/work-key.ts';
import { parentOf } from '../runtime/child-ids.ts';
import { withWaitsBelow, type RunAbove } from '../runtime/inbox/waits-below.ts';
import { withLiveness, workOn, type Work } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import { runUnknown } from '../store/refusals.ts';
import { standingOf, type Standing } from '../store/run-status.ts';
import type { RunAction, UiRun } from './api.ts';
import type { UserAction } from './http/access.ts';
import type { RequestContext, ServerContext } from './server-context.ts';

/** A filter of runs. All conditions must hold. */
export interface RunsWanted {
  readonly pipeline?: string | undefined;
  /** Lifecycles. @default all */
  readonly standings?: ReadonlySet<Standing> | undefined;
  /** The run whose tasks have started them. @default any run, or none */
  readonly parent?: string | undefined;
  /** Tags, or keys of tags, all of which a run must have. @default none */
  readonly tags?: readonly string[] | undefined;
  readonly limit: number;
}

/** Lists runs, the latest started first. */
export async function listRuns(
  context: RequestContext,
  { pipeline, standings, parent, tags = [], limit }: RunsWanted,
): Promise<readonly UiRun[]> {
  const isAny = standings === undefined && parent === undefined && tags.length === 0;
  const all = await context.store.runs({ pipeline, limit: isAny ? limit : undefined });
  const own = parent === undefined ? all : all.filter(({ runId }) => parentOf(runId) === parent);
  const tagged = own.filter((run) => tags.every((tag) => hasTag(run, tag)));
  const runs = await uiRuns(context, tagged);
  return runs.filter(({ standing }) => standings?.has(standing) ?? true).slice(0, limit);
}

/**
 * Reads some runs again. A run of `ids` that is missing from the result was removed.
 *
 * @param newer If above 0, also runs with a record after this time, in milliseconds since 1970, and those that a process has. Then
 *   `count` is the number of all runs.
 */
export async function changedRuns(
  context: RequestContext,
  ids: readonly string[],
  newer: number,
): Promise<{ readonly runs: readonly UiRun[]; readonly count?: number }> {
  const { store, starts } = context;
  const found = new Map<string, ListedRun>();
  if (newer > 0)
    for (const run of [...(await store.runs({ updatedAfter: newer })), ...(await store.runs({ leased: true }))])
      found.set(run.runId, run);
  // A run may wait in one below it that has changed.
  const above = [...found.keys()].flatMap(runsAbove);
  for (const runId of new Set([...ids, ...above, ...(newer > 0 ? starts.runs() : [])])) {
    const run = found.has(runId) ? undefined : await store.run(runId);
    if (run) found.set(runId, run);
  }
  const runs = await uiRuns(context, [...found.values()]);
  return newer > 0 ? { runs, count: (await store.runs()).length } : { runs };
}

/** Finds a run. @param action The verb for the error message. @throws PhasegateError `RUN_UNKNOWN` */
export async function findRun({ store }: ServerContext, runId: string, action = 'show'): Promise<ListedRun> {
  const run = await store.run(runId);
  if (run) return run;
  throw runUnknown(action, runId);
}

/** Finds a run, in the form that the API sends. @throws PhasegateError `RUN_UNKNOWN` */
export async function findUiRun(context: RequestContext, runId: string): Promise<UiRun> {
  const found = await findRun(context, runId);
  const [run = found] = await withWaitsBelow(context.store, [found]);
  return uiRun(context, run);
}

/** The actions that this server offers to a user. A fork needs pipelines too, as a user forks a run to resume it. */
export function offered({ readOnly, actions, pipelines, access }: RequestContext): readonly UserAction[] {
  if (readOnly) return [];
  const possible: readonly UserAction[] = [
    ...(pipelines.size > 0 ? (['start'] as const) : []),
    ...(actions ? (['resume', 'retry', 'cancel', 'fork'] as const) : (['cancel'] as const)),
  ];
  return possible.filter((action) => access.actions.includes(action));
}

// --- internal ---

async function uiRuns(context: RequestContext, runs: readonly ListedRun[]): Promise<readonly UiRun[]> {
  return (await withWaitsBelow(context.store, runs)).map((run) => uiRun(context, run));
}

/** Converts a run to the form that the API sends. */
function uiRun(context: RequestContext, run: RunAbove): UiRun {
  const { lease: _lease, lapsed: _lapsed, ...info } = run;
  const work = workOn(run, context.isAlive);
  const standing = standingOf(withLiveness(run, context.isAlive));
  const holderIf = (state: Work['state']) => (work.state === state && work.state !== 'free' ? work.lease.holder : null);
  const start = context.starts.of(run);
  const parent = parentOf(run.runId);
  const can = actionsOn(standing, work).filter((action) => offered(context).includes(action));
  return {
    ...info,
    parent,
    standing,
    worker: holderIf('worked'),
    hung: holderIf('hung'),
    gone: holderIf('gone'),
    start,
    actions: start?.state === 'starting' || parent !== undefined ? can.filter((action) => !CONTINUES.has(action)) : can,
  };
}

/** Actions that continue a run. One that a task has started is continued by its parent. */
const CONTINUES: ReadonlySet<RunAction> = new Set(['resume', 'retry']);

function actionsOn(standing: Standing, { state }: Work): readonly RunAction[] {
  switch (standing) {
    case 'queued':
    case 'running':
    case 'waiting':
    case 'suspended':
      // A hanging process reads no request, and its run must not be resumed elsewhere.
      if (state === 'hung') return ['fork'];
      return state === 'worked' ? ['cancel', 'fork'] : ['resume', 'cancel', 'fork'];
    case 'rejected':
    case 'failed':
    case 'cancelled':
    case 'exhausted':
      return state === 'hung' ? ['fork'] : ['retry', 'fork'];
    case 'completed':
    case 'damaged':
      return ['fork'];
  }
}
