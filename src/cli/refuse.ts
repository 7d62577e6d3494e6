/**
 * Runs that wait for a person where nobody can be asked.
 *
 * @module
 */
import type { RunRecord } from '../model/event.ts';
import type { PhaseStatus, RunSnapshot } from '../model/result.ts';
import type { Run } from '../runtime/run.ts';

/** Looks after what waits for a person. */
export interface Decider {
  apply(record: RunRecord): void;
  close(): void;
}

/** Cancels a run that is not kept: waiting for a decision would be waiting for ever. */
export function createRefuser(run: Pick<Run<unknown>, 'snapshot' | 'cancel'>): Decider {
  return {
    apply({ event }) {
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
export function createLeaver(run: Pick<Run<unknown>, 'snapshot' | 'suspend'>, stays: boolean): Decider {
  let due: NodeJS.Immediate | undefined;

  function look(): void {
    due = undefined;
    if (waitsOnly(run.snapshot())) run.suspend();
  }

  return {
    apply({ event }) {
      // What follows from a record is said in the same turn.
      if (!stays && MAY_LEAVE.has(event.type)) due ??= setImmediate(look);
    },
    close: () => clearImmediate(due),
  };
}

// --- internal ---

/** Records after which nothing may be left but waiting. */
const MAY_LEAVE: ReadonlySet<RunRecord['event']['type']> = new Set([
  'phase.escalated',
  'phase.approved',
  'phase.rejected',
  'phase.failed',
  'phase.retrying',
  'phase.rewinding',
  'phase.stale',
  'limit.reached',
  'run.resumed',
]);

const AT_WORK: ReadonlySet<PhaseStatus> = new Set(['running', 'reviewing']);

function waitsOnly({ status, waiting, phases }: RunSnapshot): boolean {
  return status === 'running' && waiting.length > 0 && !Object.values(phases).some((one) => AT_WORK.has(one.status));
}
