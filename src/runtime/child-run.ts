/**
 * One run that a task has started: begun once, resumed after a restart, and stopped with its task.
 *
 * @module
 */
import type { Quota, Reservation } from '../machines/phase/quota-port.ts';
import type { Pipeline } from '../model/definition/define.ts';
import type { RunEvent, RunRecord } from '../model/events/event.ts';
import { definitionOf } from '../model/events/run-definition.ts';
import type { RunResult } from '../projections/run/run-result.ts';
import { readRun } from '../store/read-run.ts';
import type { ChildRequest, LiveChild, Outer, Parent, SharedSettings } from './child-runs.ts';
import { interrupted, isNoEnd, listedChild, nextLook, openChild } from './open-child.ts';
import { endOfTurn } from './records/end-of-turn.ts';
import { cancelledAtOnce, idlePipeline } from './resuming/idle-pipeline.ts';
import { unendedChildren } from './resuming/left-children.ts';
import { endReason, outputsOf } from './run-unsuccessful-error.ts';
import { checkPipeline, type Run } from './run.ts';

/**
 * Runs the pipeline of a task to its end. The id of the run is the idempotency key of the task, so every try of an attempt, also in
 * another process, means the same run.
 *
 * @param live Child runs that work in this process. This one is in it while it works.
 * @returns The output of the task.
 * @throws RunUnsuccessfulError if the run did not complete, and the task has no `outcome`.
 */
export async function runChild(request: ChildRequest, parent: Parent, live: Set<LiveChild>): Promise<unknown> {
  const pipeline = await childPipeline(request);
  const result = await resultOfChild(pipeline, request, parent, live);
  if (result.status === 'suspended') {
    // One of its own runs cannot continue here, so the parent waits as well.
    if (!parent.isLetGo()) parent.letGo();
    throw new Error('The run was suspended with the one that had started it.');
  }
  return childOutput(result, request);
}

/** The pipeline of a task, as it is asked for at the start of each try. @throws PhasegateError `DEFINITION_INVALID` if it is none. */
export async function childPipeline({ child, context }: ChildRequest): Promise<Pipeline<unknown>> {
  const made = await child.pipeline?.(context);
  checkPipeline(made);
  return made;
}

/** The output of a task from the end of its run. @throws RunUnsuccessfulError as {@link runChild}. */
export function childOutput(result: RunResult<unknown>, { child, context }: ChildRequest): unknown {
  const { status, error, outputs } = result;
  if (status !== 'suspended' && child.outcome)
    return child.outcome({ run: result.runId, status, reason: endReason(result), error, outputs }, context);
  try {
    return outputsOf(result);
  } catch (thrown) {
    // The run has ended, so every other try of this attempt would find the same end.
    throw thrown instanceof Error ? Object.assign(thrown, { retryable: false }) : thrown;
  }
}

/** Settings of a run that are needed to cancel others. */
type CancelSettings = Pick<SharedSettings, 'store' | 'starter' | 'clock' | 'holder' | 'redact'>;

/**
 * Cancels the runs whose tasks were at work when a run ended, as nobody waits for them any more. A process that has resumed the run may not
 * have continued them: the run can end before its tasks begin.
 *
 * @throws the first error, after all of them were tried
 */
export async function cancelLeft(runId: string, events: readonly RunEvent[], settings: CancelSettings): Promise<void> {
  const { store } = settings;
  if (!store || events.at(-1)?.type !== 'run.ended') return;
  // Only an end that the store has is an end: the run may have lost its store or its lease, and goes on elsewhere.
  const own = await store.run(runId);
  if (!own || own.status === 'running') return;
  const { current, superseded } = unendedChildren(runId, events);
  await cancelRuns([...superseded, ...current], 'the run that started it has ended', settings);
}

/**
 * Cancels the runs of attempts that were over before a run is resumed. The process that had the run may have been killed before it could.
 *
 * @throws the first error, after all of them were tried
 */
export async function cancelSuperseded(
  runId: string,
  events: readonly RunEvent[],
  settings: CancelSettings,
): Promise<void> {
  await cancelRuns(unendedChildren(runId, events).superseded, 'the attempt that started it is over', settings);
}

// --- internal ---

/** Cancels those of some runs that have not ended. */
async function cancelRuns(
  ids: readonly string[],
  reason: string,
  { store, starter, clock, holder, redact }: CancelSettings,
): Promise<void> {
  const ended = cancelledAtOnce(reason);
  const errors: unknown[] = [];
  for (const id of ids) {
    const listed = await store?.run(id);
    if (!store || listed?.status !== 'running' || listed.damage !== undefined) continue;
    const records = await readRun(store, id);
    const first = records[0]?.event;
    if (first?.type !== 'run.started') continue;
    const idle = idlePipeline(definitionOf(records, first).plan);
    try {
      const run = await starter.resume(store, id, idle, { clock, holder, redact, ...ended });
      await run.result;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Runs the pipeline to its end. Only an end that the store has, if there is one, is an end. */
async function resultOfChild(
  pipeline: Pipeline<unknown>,
  request: ChildRequest,
  parent: Parent,
  live: Set<LiveChild>,
): Promise<RunResult<unknown>> {
  const { context } = request;
  const { store } = parent.settings();
  for (;;) {
    const room = roomFor(request, parent.quota());
    const opened = await openChild(pipeline, request, parent, room);
    if ('result' in opened) return opened.result;
    const result = await follow(opened.run, opened.report, request, parent, live);
    room?.free();
    if (result.status === 'suspended' || !store) return result;
    const listed = await listedChild(request, parent);
    // A run that is retried has the status of its earlier end until it has records of its own.
    if (listed && listed.status !== 'running' && listed.seq > opened.seq) {
      // An error of the store says nothing about the end that the store has: it may have come after the commit.
      if (isNoEnd(result.error?.code ?? '')) continue;
      return result;
    }
    if (result.error?.code !== 'RUN_LEASED')
      throw interrupted(new Error(endReason(result) ?? result.status), result.error?.code, request, parent);
    await nextLook(context, result.error.message);
  }
}

/** Room that tries of a run reserve in the limits of its parent. `free` releases all of it. */
function roomFor(
  { context: { phase, task }, estimate }: ChildRequest,
  quota: Quota | undefined,
): (Outer & { free(): void }) | undefined {
  if (!quota) return undefined;
  const reserved = new Set<Reservation>();
  const release = (reservation: Reservation) => {
    reserved.delete(reservation);
    quota.release(reservation);
  };
  return {
    phase,
    task,
    covered: estimate,
    request(reservation) {
      reserved.add(reservation);
      quota.request(reservation);
    },
    release,
    free: () => reserved.forEach(release),
  };
}

/** Follows a run to its end in this process. It stops with its task. */
async function follow(
  run: Run<unknown>,
  report: (record: RunRecord) => void,
  { context, asks = false }: ChildRequest,
  parent: Parent,
  live: Set<LiveChild>,
): Promise<RunResult<unknown>> {
  const child: LiveChild = { run, phase: context.phase, task: context.task, asks };
  const stop = () => void stopWith(parent, run, `task "${context.task}" was stopped`);
  live.add(child);
  parent.onChild(run);
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  parent.settings().within?.look();
  const reports = run.events$.subscribe(report);
  try {
    return await run.result;
  } finally {
    context.signal.removeEventListener('abort', stop);
    live.delete(child);
    reports.unsubscribe();
  }
}

/**
 * Cancels a run whose task was stopped, once the reason is stored: a process that resumes the parent may not know it otherwise, and would
 * take the end of the run for that of the task. Suspends it with a parent that is let go.
 */
async function stopWith(parent: Parent, run: Run<unknown>, reason: string): Promise<void> {
  let failure: unknown;
  if (parent.settings().store && !parent.isLetGo()) {
    // By then, the reason is on its way.
    await endOfTurn();
    failure = await parent.flush();
  }
  if (parent.isLetGo() || failure !== undefined) run.suspend();
  else run.cancel(reason);
}
