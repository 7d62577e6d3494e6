/**
 * Waits of runs that no process has.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { definitionOf } from '../../model/events/run-definition.ts';
import { starterIn } from '../../model/handlers/work-key.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import { createRecordLog, type RecordLog } from '../records/record-log.ts';
import { unendedChildren } from '../resuming/left-children.ts';
import { leftUntil } from './wait-end.ts';

/** A run by its records. */
export interface RecordedRun {
  readonly runId: string;
  readonly records: readonly RunRecord[];
}

/**
 * Reads from records until when runs only wait, in milliseconds since 1970: a run, and those below it. One that is missing from the result may
 * be continued at once.
 */
export function storedWaits(runId: string, runs: readonly RecordedRun[]): ReadonlyMap<string, number> {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const waits = new Map<string, number>();
  const endOf = (run: RecordedRun, isHeldAbove: boolean): number | undefined => {
    const { log, plan, items } = logOf(run);
    const below = (isHeld: boolean) =>
      unendedChildren(run.runId, log.events).current.flatMap((id) => {
        const [child, starter] = [byId.get(id), starterIn(id)];
        return child && starter ? { ...starter, until: endOf(child, isHeld) } : [];
      });
    const until = leftUntil({ log, plan, items, isHeldAbove }, below);
    if (until !== undefined) waits.set(run.runId, until);
    return until;
  };
  const root = byId.get(runId);
  if (root) endOf(root, false);
  return waits;
}

// --- internal ---

function logOf({ runId, records }: RecordedRun) {
  const first = records[0]?.event;
  if (first?.type !== 'run.started') throw new RangeError('A stored run has begun');
  const log: RecordLog = createRecordLog(runId, Date.now);
  const inbox = foldInbox();
  for (const record of records) {
    log.events.push(record.event);
    log.times.push(record.time);
    inbox.apply(record);
  }
  return { log, plan: definitionOf(records, first).plan, items: inbox.open() };
}
