/**
 * Runs that wait for a person where nobody can be asked.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../model/event.ts';
import type { InboxItem } from '../model/inbox.ts';
import type { RunSnapshot } from '../model/result.ts';
import type { Stake } from '../machines/till.ts';
import type { Run } from '../runtime/run.ts';
import { StartedRun } from '../runtime/started-run.ts';

/** Looks after what waits for a person. */
export interface Decider {
  apply(record: RunRecord): void;
  close(): void;
}

/** Cancels a run that is not kept: waiting for a decision would be waiting for ever. */
export function createRefuser(run: Pick<Run<unknown>, 'snapshot' | 'cancel'>): Decider {
  return {
    apply({ event }) {
      if (event.type === 'task.asked') {
        run.cancel(
          `"${event.phase}" asks a person, but nobody can be asked as this is not a terminal: ${event.question}`,
        );
      }
      if (event.type !== 'phase.escalated' && event.type !== 'limit.reached') return;
      queueMicrotask(() => {
        const { waiting, phases } = run.snapshot();
        const [about] = waiting;
        if (about === undefined) return;
        const reason = phases[about]?.reason ?? 'the limit is reached';
        run.cancel(`"${about}" waits for a person, but nobody can be asked as this is not a terminal: ${reason}`);
      });
    },
    close: () => undefined,
  };
}

/**
 * Lets go of a run that is kept, once nothing works any more and only people can get it on.
 *
 * @param stays Whether it waits instead until somebody has answered from elsewhere.
 */
export function createLeaver(run: Run<unknown>, stays: boolean): Decider {
  const tasks = new Map<string, Set<string>>();
  let due: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;

  function look(): void {
    due = undefined;
    clearTimeout(later);
    const items = run.inbox();
    if (items.length === 0) return;
    const tries = StartedRun.waitingTries(run);
    if (isIdle(run.snapshot(), items, tasks, tries)) run.suspend();
    // No record says that a reviewer is done while another one waits.
    else if (tries.length > 0) later = setTimeout(look, LOOK_MS);
  }

  return {
    apply({ event }) {
      note(tasks, event);
      // What follows from a record is said in the same turn.
      if (!stays && MAY_LEAVE.has(event.type)) due ??= setImmediate(look);
    },
    close() {
      clearImmediate(due);
      clearTimeout(later);
    },
  };
}

// --- internal ---

/** Milliseconds between looks while tries wait. */
const LOOK_MS = 200;

/** Records after which nothing may be left but waiting. */
const MAY_LEAVE: ReadonlySet<RunRecord['event']['type']> = new Set([
  'phase.escalated',
  'task.asked',
  'task.completed',
  'task.failed',
  'phase.approved',
  'phase.rejected',
  'phase.failed',
  'phase.retrying',
  'phase.rewinding',
  'phase.stale',
  'phase.unaffected',
  'limit.reached',
  'run.resumed',
]);

/** Notes which tasks of each phase are at work. */
function note(tasks: Map<string, Set<string>>, event: RunEvent): void {
  if (event.type === 'phase.started') tasks.set(event.phase, new Set());
  if (event.type === 'task.started') tasks.get(event.phase)?.add(event.task);
  if (event.type === 'task.completed' || event.type === 'task.failed') tasks.get(event.phase)?.delete(event.task);
}

/** Whether something waits for people, and nothing else is going on. */
function isIdle(
  { status, phases }: RunSnapshot,
  items: readonly InboxItem[],
  tasks: ReadonlyMap<string, ReadonlySet<string>>,
  tries: readonly Stake[],
): boolean {
  if (status !== 'running') return false;
  return Object.entries(phases).every(([name, phase]) => {
    const asked = items.filter(({ about, task }) => about === name && task !== undefined);
    const held = tries.filter((one) => one.phase === name);
    if (phase.status === 'reviewing') return asked.length > 0 || held.some((one) => one.isAlone());
    if (phase.status !== 'running') return true;
    const waiting = [...asked, ...held];
    return waiting.length > 0 && [...(tasks.get(name) ?? [])].every((task) => waiting.some((one) => one.task === task));
  });
}
