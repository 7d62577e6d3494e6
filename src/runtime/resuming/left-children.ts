/**
 * Runs of tasks that were at work when their run ended.
 *
 * @module
 */
import type { RunEvent } from '../../model/events/event.ts';
import { startOf, workKey } from '../../model/handlers/work-key.ts';

/** Returns the ids of the runs that tasks may have started, and whose tasks have not ended. */
export function unendedChildren(runId: string, events: readonly RunEvent[]): readonly string[] {
  const open = new Set<string>();
  /** Number of starts of each phase in its generation from the first attempt. */
  const starts = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'phase.started' && event.attempt === 0) {
      const of = `${event.generation} ${event.phase}`;
      starts.set(of, (starts.get(of) ?? 0) + 1);
    }
    if (event.type !== 'task.started' && event.type !== 'task.completed' && event.type !== 'task.failed') continue;
    const { phase, generation, attempt, task } = event;
    const renewals = Math.max(0, (starts.get(`${generation} ${phase}`) ?? 1) - 1);
    const id = workKey([runId, phase, startOf(generation, renewals), attempt, 'task', task]);
    if (event.type === 'task.started') open.add(id);
    else open.delete(id);
  }
  return [...open];
}
