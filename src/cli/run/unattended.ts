/**
 * Handling of runs that wait for a person if nobody can be asked on this terminal.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import { StartedRun } from '../../runtime/run-handle.ts';
import type { Run } from '../../runtime/run.ts';

/** Watches a run for questions to people. */
export interface Decider {
  /** Applies a record of the run, or of one that its tasks have started. */
  apply(record: RunRecord): void;
  close(): void;
}

/** Cancels a run that is not stored as soon as it asks a person, as nobody could ever answer. */
export function cancelWhenAsked(run: Pick<Run<unknown>, 'inbox' | 'cancel'>): Decider {
  return {
    apply({ event }) {
      if (event.type === 'task.asked') {
        run.cancel(
          `"${event.phase}" asks a person, but nobody can be asked as this is not a terminal: ${event.question}`,
        );
      }
      if (event.type !== 'phase.escalated' && event.type !== 'limit.reached') return;
      queueMicrotask(() => {
        const [item] = run.inbox();
        if (item === undefined) return;
        const { about, reason } = item;
        run.cancel(`"${about}" waits for a person, but nobody can be asked as this is not a terminal: ${reason}`);
      });
    },
    close: () => undefined,
  };
}

/**
 * Suspends a stored run once no work is left and only people can make it continue.
 *
 * @param stays True to wait instead until somebody answers from elsewhere.
 */
export function suspendWhenIdle(run: Run<unknown>, stays: boolean): Decider {
  const folds = new Map<string, RunTimesFold>();
  let due: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;

  function check(): void {
    due = undefined;
    clearTimeout(later);
    if (run.inbox().length === 0) return;
    if (isIdle(run, folds)) run.suspend();
    // Polls, as no record reports that a reviewer is done while another one waits for a limit.
    else if (hasWaitingTries(run)) later = setTimeout(check, POLL_MS);
  }

  return {
    apply(record) {
      const { event, runId } = record;
      const fold = folds.get(runId) ?? foldRunTimes();
      folds.set(runId, fold);
      fold.apply(record);
      // Waits for the end of the turn, as it still publishes the records that follow.
      if (!stays && MAY_LEAVE.has(event.type)) due ??= setImmediate(check);
    },
    close() {
      clearImmediate(due);
      clearTimeout(later);
    },
  };
}

// --- internal ---

/** Milliseconds between polls while tries wait for a limit. */
const POLL_MS = 200;

/** Events after which a run may have no work left. */
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
  'review.waiting',
  'limit.reached',
  'run.resumed',
]);

/** True if a try of a run, or of one that its tasks have started, waits for a limit. */
function hasWaitingTries(run: object): boolean {
  return (
    StartedRun.waitingTries(run).length > 0 || StartedRun.children(run).some((child) => hasWaitingTries(child.run))
  );
}

/** True if no work of a run is left but that of people. A task whose own run is idle waits like one that is a person. */
function isIdle(run: Run<unknown>, folds: ReadonlyMap<string, RunTimesFold>): boolean {
  const { status, phases } = run.snapshot();
  const fold = folds.get(run.id);
  if (status !== 'running' || !fold) return false;
  const items = run.inbox().filter(({ runId }) => runId === run.id);
  const tries = StartedRun.waitingTries(run);
  const children = StartedRun.children(run).filter((child) => isWaiting(child.run) && isIdle(child.run, folds));
  return Object.entries(phases).every(([name, phase]) => {
    const questions = items.filter(({ about, task }) => about === name && task !== undefined);
    const held = tries.filter((one) => one.phase === name);
    if (phase.status === 'reviewing' && held.some((one) => one.isAlone)) return true;
    const asking = children.filter((child) => child.phase === name);
    if (phase.status === 'reviewing') {
      // A reviewer may ask several questions at once.
      const people = questions.length + new Set(asking.map((child) => child.task)).size;
      return people > 0 && fold.isReviewAtRest(name, people + held.length);
    }
    if (phase.status !== 'running') return true;
    const waiting = [...questions, ...held, ...asking];
    return waiting.length > 0 && fold.tasksOf(name).every((task) => waiting.some((one) => one.task === task));
  });
}

/** True if a run waits for a person or for a limit. One without either is about to continue or to end. */
function isWaiting(run: Run<unknown>): boolean {
  return run.inbox().length > 0 || hasWaitingTries(run);
}
