/**
 * Runs of tasks that were at work when their run ended, or when their attempt did.
 *
 * @module
 */
import type { RunEvent } from '../../model/events/event.ts';
import { startOf, workKey } from '../../model/handlers/work-key.ts';

/** Runs that tasks may have started, and whose tasks have not ended. */
export interface UnendedChildren {
  /** Ids of those whose attempt goes on as far as the events tell. */
  readonly current: readonly string[];
  /** Ids of those whose attempt is over: its phase has started again, or has ended. */
  readonly superseded: readonly string[];
}

/** Finds the runs that tasks of a run may have started. */
export function unendedChildren(runId: string, events: readonly RunEvent[]): UnendedChildren {
  /** The phases of open runs, and of those whose attempt is over. */
  const open = new Map<string, string>();
  const superseded = new Set<string>();
  /** Number of starts of each phase in its generation from the first attempt. */
  const starts = new Map<string, number>();
  for (const event of events) {
    if (OVER.has(event.type) && 'phase' in event)
      for (const [id, phase] of open)
        if (phase === event.phase) {
          open.delete(id);
          superseded.add(id);
        }
    if (event.type === 'phase.started' && event.attempt === 0) {
      const of = `${event.generation} ${event.phase}`;
      starts.set(of, (starts.get(of) ?? 0) + 1);
    }
    if (event.type !== 'task.started' && event.type !== 'task.completed' && event.type !== 'task.failed') continue;
    const { phase, generation, attempt, task } = event;
    const renewals = Math.max(0, (starts.get(`${generation} ${phase}`) ?? 1) - 1);
    const id = workKey([runId, phase, startOf(generation, renewals), attempt, 'task', task]);
    if (event.type === 'task.started') open.set(id, phase);
    else open.delete(id);
  }
  return { current: [...open.keys()], superseded: [...superseded] };
}

// --- internal ---

/** Events after which the tasks of an earlier attempt of their phase do not matter any more. */
const OVER: ReadonlySet<RunEvent['type']> = new Set([
  'phase.started',
  'phase.invalidated',
  'phase.rewinding',
  'phase.rejected',
  'phase.failed',
  'phase.cancelled',
  'phase.skipped',
]);
