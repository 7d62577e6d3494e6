/**
 * Runs as the dashboard shows them.
 *
 * @module
 */
import { withLiveness, workOn, type Work } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import { runUnknown } from '../store/refusals.ts';
import { standingOf, type Standing } from '../store/run-status.ts';
import type { RunAction, UiRun } from './api.ts';
import type { ServerContext } from './server-context.ts';

/** Which runs to list. All conditions have to hold. */
export interface RunsWanted {
  readonly pipeline?: string | undefined;
  /** Standings. @default all */
  readonly standings?: ReadonlySet<Standing> | undefined;
  readonly limit: number;
}

/** Runs, the latest started first. */
export async function listRuns(
  context: ServerContext,
  { pipeline, standings, limit }: RunsWanted,
): Promise<readonly UiRun[]> {
  const all = await context.store.runs({ pipeline, limit: standings ? undefined : limit });
  const runs = all.map((run) => uiRun(context, run));
  return standings ? runs.filter(({ standing }) => standings.has(standing)).slice(0, limit) : runs;
}

/** @param action What it is for. @throws PhasegateError `RUN_UNKNOWN` */
export async function findRun({ store }: ServerContext, runId: string, action = 'show'): Promise<ListedRun> {
  const run = await store.run(runId);
  if (run) return run;
  throw runUnknown(action, runId);
}

/** A run as it is shown. */
export function uiRun(context: ServerContext, run: ListedRun): UiRun {
  const { lease: _lease, lapsed: _lapsed, ...info } = run;
  const work = workOn(run, context.isAlive);
  const standing = standingOf(withLiveness(run, context.isAlive));
  const holderIf = (state: Work['state']) => (work.state === state && work.state !== 'free' ? work.lease.holder : null);
  const start = context.starts.of(run);
  const can = actionsOn(standing, work).filter((action) => offered(context).includes(action));
  return {
    ...info,
    standing,
    worker: holderIf('worked'),
    hung: holderIf('hung'),
    gone: holderIf('gone'),
    start,
    actions: start?.state === 'starting' ? can.filter((action) => action !== 'resume' && action !== 'retry') : can,
  };
}

/** What can be done with runs at all. A fork is for being gone on with. */
export function offered({ readOnly, actions }: ServerContext): readonly RunAction[] {
  if (readOnly) return [];
  return actions ? ['resume', 'retry', 'cancel', 'fork'] : ['cancel'];
}

// --- internal ---

function actionsOn(standing: Standing, { state }: Work): readonly RunAction[] {
  switch (standing) {
    case 'running':
    case 'waiting':
    case 'suspended':
      // Whoever lives and does not answer can neither be told anything nor be robbed.
      if (state === 'hung') return ['fork'];
      return state === 'worked' ? ['cancel', 'fork'] : ['resume', 'cancel', 'fork'];
    case 'rejected':
    case 'failed':
    case 'cancelled':
    case 'exhausted':
      return state === 'hung' ? ['fork'] : ['retry', 'fork'];
    case 'completed':
      return ['fork'];
  }
}
