/**
 * Runs as the dashboard shows them.
 *
 * @module
 */
import type { ListedRun } from '../store/port.ts';
import { runUnknown } from '../store/refusals.ts';
import { standingOf } from '../store/standing.ts';
import type { RunAction, UiRun, UiStanding } from './api.ts';
import type { Backstage } from './backstage.ts';

/** Which runs to list. All conditions have to hold. */
export interface RunsWanted {
  readonly pipeline?: string | undefined;
  /** Standings. @default all */
  readonly standings?: ReadonlySet<string> | undefined;
  readonly limit: number;
}

/** Runs, the latest started first. */
export async function listRuns(
  stage: Backstage,
  { pipeline, standings, limit }: RunsWanted,
): Promise<readonly UiRun[]> {
  const all = await stage.store.runs({ pipeline, limit: standings ? undefined : limit });
  const runs = all.map((run) => uiRun(stage, run));
  return standings ? runs.filter(({ standing }) => standings.has(standing)).slice(0, limit) : runs;
}

/** @throws PhasegateError `RUN_UNKNOWN` */
export async function findRun({ store }: Backstage, runId: string): Promise<ListedRun> {
  const run = await store.run(runId);
  if (run) return run;
  throw runUnknown(runId);
}

/** A run as it is shown. */
export function uiRun(stage: Backstage, run: ListedRun): UiRun {
  const { lease, lapsed, ...info } = run;
  const worker = workerOn(stage, run);
  const held = lease ?? lapsed;
  const standing = standingOf({ ...info, lease: worker === null ? undefined : lease });
  return {
    ...info,
    standing,
    worker,
    gone: held && stage.isGone(held.holder) ? held.holder : null,
    actions: actionsOn(standing, worker !== null).filter((action) => offered(stage).includes(action)),
  };
}

/** Who works on a run; `null` where nobody does. */
export function workerOn({ isGone }: Backstage, { lease }: Pick<ListedRun, 'lease'>): string | null {
  return lease && !isGone(lease.holder) ? lease.holder : null;
}

/** What can be done with runs at all. A fork is for being gone on with. */
export function offered({ readOnly, actions }: Backstage): readonly RunAction[] {
  if (readOnly) return [];
  return actions ? ['resume', 'retry', 'cancel', 'fork'] : ['cancel'];
}

// --- internal ---

function actionsOn(standing: UiStanding, isWorkedOn: boolean): readonly RunAction[] {
  switch (standing) {
    case 'running':
    case 'waiting':
    case 'suspended':
      return isWorkedOn ? ['cancel', 'fork'] : ['resume', 'cancel', 'fork'];
    case 'rejected':
    case 'failed':
    case 'cancelled':
    case 'exhausted':
      return ['retry', 'fork'];
    case 'completed':
      return ['fork'];
  }
}
