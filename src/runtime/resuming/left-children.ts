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
  /** Work without an end, by phase, then by generation, attempt and task. */
  const open = new Map<string, Map<string, LeftWork>>();
  const superseded = new Set<string>();
  /** The latest generation of each phase, with the number of its starts from the first attempt. */
  const starts = new Map<string, { readonly generation: number; count: number }>();
  // Keys are made of work that is left only, as most work of a run has ended.
  const idOf = ({ phase, generation, renewals, attempt, task }: LeftWork) =>
    workKey([runId, phase, startOf(generation, renewals), attempt, 'task', task]);
  for (const event of events) {
    if (event.type === 'task.started') {
      const { phase, generation, attempt, task } = event;
      const begun = starts.get(phase);
      const renewals = begun?.generation === generation ? begun.count - 1 : 0;
      const works = open.get(phase) ?? new Map<string, LeftWork>();
      works.set(keyOf(event), { phase, generation, renewals, attempt, task });
      open.set(phase, works);
    } else if (event.type === 'task.completed' || event.type === 'task.failed') {
      open.get(event.phase)?.delete(keyOf(event));
    } else if (OVER.has(event.type) && 'phase' in event) {
      for (const work of open.get(event.phase)?.values() ?? []) superseded.add(idOf(work));
      open.delete(event.phase);
      if (event.type !== 'phase.started' || event.attempt > 0) continue;
      const { phase, generation } = event;
      const begun = starts.get(phase);
      if (begun?.generation === generation) begun.count += 1;
      else starts.set(phase, { generation, count: 1 });
    }
  }
  const current = [...open.values()].flatMap((works) => [...works.values()].map(idOf));
  return { current, superseded: [...superseded] };
}

// --- internal ---

/** The work of a task in one attempt of its phase. */
interface LeftWork {
  readonly phase: string;
  readonly generation: number;
  /** Number of earlier starts over in the same generation. */
  readonly renewals: number;
  readonly attempt: number;
  readonly task: string;
}

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

/** Names work within its phase. A start over ends all work before it, so its number is no part of the key. */
function keyOf({ generation, attempt, task }: Pick<LeftWork, 'generation' | 'attempt' | 'task'>): string {
  return `${generation} ${attempt} ${task}`;
}
