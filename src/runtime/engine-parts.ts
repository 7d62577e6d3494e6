/**
 * Parts of a run in this process that most runs never use: its inbox, its child runs, the watch that suspends it, and the signal
 * that cancels it.
 *
 * @module
 */
import { clockOf } from '../machines/phase/clock.ts';
import { isEnding } from '../machines/pipeline/run-state-registry.ts';
import type { Plan } from '../model/plan/plan.ts';
import { createChildRuns, type ChildRuns, type LiveChild, type SharedSettings } from './child-runs.ts';
import type { EngineOptions, PipelineActor } from './engine-options.ts';
import { openInbox } from './exit-notice.ts';
import type { RunInbox } from './inbox/inbox.ts';
import { watchWaiting, type WaitWatch } from './inbox/suspend-waiting.ts';
import { leftUntil } from './inbox/wait-end.ts';
import type { Wait } from './records/release-lease.ts';
import { StartedRun } from './run-handle.ts';

/** A run, as its parts know it. */
export interface PartsOwner extends Pick<EngineOptions, 'pipeline' | 'log' | 'persistence'> {
  /** `undefined` until the run has begun. */
  readonly actor: PipelineActor | undefined;
  readonly inbox: RunInbox;
  /** True if this process stops before the run ends. */
  readonly isLetGo: boolean;
  /** The plan that the run follows; `undefined` until it has begun, and once it has ended. */
  currentPlan(): Plan | undefined;
  /** The settings of the runs that its tasks start. */
  settings(): SharedSettings;
  /** Child runs, but for questions. Empty if it has started none. */
  watchedChildren(): ReturnType<ChildRuns['watched']>;
  suspend(wait?: Wait): void;
}

/** Creates the inbox of a run. */
export function inboxFor(run: PartsOwner): RunInbox {
  const { pipeline, log, persistence } = run;
  return openInbox({
    pipeline,
    log,
    clock: () => run.actor && clockOf(run.actor),
    listen: async () => persistence?.listen(),
    send: (command) => run.actor?.send(command),
    claim: persistence && ((item, body, by) => persistence.claim(item, body, by)),
  });
}

/** Creates the registry of the child runs of a run. */
export function childrenFor(run: PartsOwner): ChildRuns {
  return createChildRuns({
    plan: run.pipeline.plan,
    actor: () => run.actor,
    events: run.log.events,
    isLetGo: () => run.isLetGo,
    letGo: () => run.suspend(),
    flush: () => run.persistence?.journal.flush(),
    settings: () => run.settings(),
  });
}

/** Creates the watch of a stored run, if it is suspended while it only waits. */
export function watchFor(
  run: PartsOwner,
  { persistence, within, whileWaiting }: Pick<EngineOptions, 'persistence' | 'within' | 'whileWaiting'>,
): WaitWatch | undefined {
  if (!persistence || !(within || whileWaiting === 'suspend')) return undefined;
  const watch = watchWaiting({
    log: run.log,
    persistence,
    inbox: () => run.inbox,
    plan: () => run.currentPlan(),
    children: () => run.watchedChildren(),
    within,
    suspend: (wait) => run.suspend(wait),
  });
  persistence.whenStored(() => watch.look());
  return watch;
}

/**
 * The wait of a run according to its records, as {@link leftUntil} returns its end. `undefined`, too, for a run that is not stored, or has
 * received a message of which it has no record yet. A run that has a question of work is active, as the work may go on beside it.
 *
 * @param live The runs that its tasks have started, and that work in this process.
 */
export function waitOf(run: PartsOwner, live: readonly LiveChild[], isHeldAbove: boolean): Wait | undefined {
  const { log, persistence, inbox, actor } = run;
  const plan = run.currentPlan();
  if (!persistence || !plan || !actor || isEnding(actor) || !inbox.isSettled()) return undefined;
  let heard = persistence.heard();
  const below = (isHeld: boolean) =>
    live.map(({ run: child, phase, task, asks }) => {
      const wait = asks ? undefined : StartedRun.waitOf(child, isHeld);
      // A message to a run below makes this one ready, too, so all of them must have received it.
      heard = Math.min(heard, wait?.heard ?? 0);
      return { phase, task, until: wait?.until };
    });
  const until = leftUntil({ log, plan, items: inbox.open(), isHeldAbove }, below);
  return until === undefined ? undefined : { until, heard };
}

/** Cancels a run when a signal is aborted, with its reason. @returns A function that forgets the signal. */
export function followSignal(signal: AbortSignal, run: { cancel(reason: unknown): void }): () => void {
  const stop = () => run.cancel(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}
