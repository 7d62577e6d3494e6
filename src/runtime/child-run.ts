/**
 * One run that a task has started: begun once, resumed after a restart, and stopped with its task.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { Report, TaskContext } from '../model/handlers/task.ts';
import type { RunResult } from '../projections/run/run-result.ts';
import { foldRun, resultOf } from '../projections/run/run-view.ts';
import type { RunStore } from '../store/port.ts';
import { readRun } from '../store/read-run.ts';
import type { ChildRequest, Parent } from './child-runs.ts';
import type { ResumeOptions } from './resume.ts';
import { endReason, outputsOf } from './run-unsuccessful-error.ts';
import { checkPipeline, type Run, type RunOptions } from './run.ts';
import type { Pipeline } from '../model/definition/define.ts';

/** The functions that start and resume the runs of tasks. */
export interface ChildStarter {
  start(pipeline: Pipeline<unknown>, options: RunOptions): Run<unknown>;
  resume(store: RunStore, runId: string, pipeline: Pipeline<unknown>, options: ResumeOptions): Promise<Run<unknown>>;
}

/**
 * Runs the pipeline of a task to its end. The id of the run is the idempotency key of the task, so every try of an attempt, also in
 * another process, means the same run.
 *
 * @param live Child runs that work in this process. This one is in it while it works.
 * @returns The output of the task.
 * @throws RunUnsuccessfulError if the run did not complete, and the task has no `outcome`.
 */
export async function runChild(request: ChildRequest, parent: Parent, live: Set<Run<unknown>>): Promise<unknown> {
  const { child, context } = request;
  const pipeline = await pipelineOf(request);
  const result = await resultOfChild(pipeline, request, parent, live);
  const { status, error, outputs } = result;
  if (status === 'suspended') throw new Error('The run was suspended with the one that had started it.');
  if (child.outcome)
    return child.outcome({ run: result.runId, status, reason: endReason(result), error, outputs }, context);
  try {
    return outputsOf(result);
  } catch (thrown) {
    // The run has ended, so every other try of this attempt would find the same end.
    throw thrown instanceof Error ? Object.assign(thrown, { retryable: false }) : thrown;
  }
}

// --- internal ---

/** The pipeline of a task, as it is asked for at the start of each try. @throws PhasegateError `DEFINITION_INVALID` if it is none. */
async function pipelineOf({ child, context }: ChildRequest): Promise<Pipeline<unknown>> {
  const made = await child.pipeline?.(context);
  checkPipeline(made);
  return made;
}

/** Runs the pipeline to its end. Only an end that the store has, if there is one, is an end. */
async function resultOfChild(
  pipeline: Pipeline<unknown>,
  request: ChildRequest,
  parent: Parent,
  live: Set<Run<unknown>>,
): Promise<RunResult<unknown>> {
  const { context } = request;
  const { store } = parent.settings();
  for (;;) {
    const opened = await openChild(pipeline, request, parent);
    if ('result' in opened) return opened.result;
    const result = await follow(opened.run, opened.report, context, parent, live);
    if (result.status === 'suspended' || !store) return result;
    const listed = await store.run(context.idempotencyKey);
    if (listed && listed.status !== 'running') return result;
    if (result.error?.code !== 'RUN_LEASED')
      throw interrupted(new Error(endReason(result) ?? result.status), result.error?.code, request, parent);
    await nextLook(context, result.error.message);
  }
}

type Opened =
  | { readonly run: Run<unknown>; readonly report: (record: RunRecord) => void }
  | { readonly result: RunResult<unknown> };

/** Starts or resumes the run of a task, or reads its end. Waits for the lease of a process that is gone. */
async function openChild(pipeline: Pipeline<unknown>, request: ChildRequest, parent: Parent): Promise<Opened> {
  const { child, context, estimate } = request;
  const id = context.idempotencyKey;
  const { store, starter, allowChanged, allowMasked, ...settings } = parent.settings();
  const limits = limitsOf(estimate);
  for (;;) {
    try {
      const listed = await store?.run(id);
      const report = reporterOf(id, pipeline, context, listed ? parent.events : []);
      if (!store || !listed) {
        const input = await child.input?.(context);
        return { run: starter.start(pipeline, { ...settings, store, runId: id, input, limits }), report };
      }
      // An earlier process has reported its usage, so the estimate is not due.
      if (Object.keys(limits).length > 0)
        context.report(Object.fromEntries(Object.keys(limits).map((name) => [name, 0])));
      if (listed.status !== 'running') return { result: endOf(await readRun(store, id), pipeline, report) };
      const options = { ...settings, limits, allowChanged, allowMasked };
      return { run: await starter.resume(store, id, pipeline, options), report };
    } catch (error) {
      const code = PhasegateError.is(error) ? error.code : undefined;
      if (code === undefined || !isNoEnd(code)) throw error;
      if (code !== 'RUN_LEASED') throw interrupted(error, code, request, parent);
      await nextLook(context, error);
    }
  }
}

/** Follows a run to its end in this process. It stops with its task. */
async function follow(
  run: Run<unknown>,
  report: (record: RunRecord) => void,
  context: TaskContext,
  parent: Parent,
  live: Set<Run<unknown>>,
): Promise<RunResult<unknown>> {
  const stop = () => (parent.isLetGo() ? run.suspend() : run.cancel(`task "${context.task}" was stopped`));
  live.add(run);
  parent.onChild(run);
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  const reports = run.events$.subscribe(report);
  try {
    return await run.result;
  } finally {
    context.signal.removeEventListener('abort', stop);
    live.delete(run);
    reports.unsubscribe();
  }
}

/** True if an error only keeps this process from working on a run, which has not ended. */
function isNoEnd(code: string): boolean {
  return code.startsWith('STORE_') || NO_END.has(code);
}

const NO_END: ReadonlySet<string> = new Set([
  'RUN_LEASED',
  'RUN_CHANGED',
  'INPUT_MASKED',
  'JOURNAL_DIVERGED',
  'LEASE_LOST',
]);

/** Suspends the parent of a run that this process cannot work on: both can be resumed. Without a store there is nothing to resume. */
function interrupted(error: unknown, code: string | undefined, { context }: ChildRequest, parent: Parent): unknown {
  const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
  if (parent.settings().store) {
    context.report({
      warning: {
        code: code ?? 'RUN_UNSUCCESSFUL',
        message: `Run ${context.idempotencyKey} cannot continue here. ${message}`,
      },
    });
    parent.letGo();
  }
  return error;
}

/** Waits before the next look at a run that another process has. @throws The error if the task is stopped. */
async function nextLook(context: TaskContext, error: unknown): Promise<void> {
  if (!context.signal.aborted) await context.wait(LEASE_WAIT_MS);
  if (context.signal.aborted) throw error instanceof Error ? error : new Error(String(error));
}

/** Milliseconds between looks at a run that another process has. */
const LEASE_WAIT_MS = 1000;

function limitsOf({ tokens, costUsd }: ChildRequest['estimate']): NonNullable<RunOptions['limits']> {
  return { ...(tokens !== undefined && { tokens }), ...(costUsd !== undefined && { costUsd }) };
}

/** The end of a run that has ended before this process asked for it. Its usage is reported, too. */
function endOf(
  records: readonly RunRecord[],
  { plan }: Pick<Pipeline, 'plan'>,
  report: (record: RunRecord) => void,
): RunResult<unknown> {
  const view = foldRun(plan);
  for (const record of records) {
    view.apply(record);
    report(record);
  }
  return resultOf(view.snapshot());
}

/**
 * Returns a listener that reports the usage and progress of a child as those of its task.
 *
 * @param events Events of the parent. Usage that they report for the task is not reported again. Empty for a new child.
 */
function reporterOf(
  id: string,
  { name, plan }: Pick<Pipeline, 'name' | 'plan'>,
  { report, phase, task }: TaskContext,
  events: Parent['events'],
): (record: RunRecord) => void {
  const reported = { tokens: 0, costUsd: 0 };
  const begun = events.findLastIndex((event) => event.type === 'phase.started' && event.phase === phase);
  for (const event of events.slice(begun)) {
    if (event.type !== 'task.reported' || event.phase !== phase || event.task !== task || event.reviewer) continue;
    reported.tokens += event.tokens ?? 0;
    reported.costUsd += event.costUsd ?? 0;
  }
  const approved = new Set<string>();
  return ({ event }) => {
    if (event.type === 'phase.approved') {
      approved.add(event.phase);
      report({ progress: `${approved.size} of ${plan.phases.length} phases of "${name}" approved in run ${id}` });
    }
    if (event.type !== 'task.reported') return;
    const tokens = rest(event.tokens, reported, 'tokens');
    const costUsd = rest(event.costUsd, reported, 'costUsd');
    if (tokens === 0 && costUsd === 0) return;
    report({ ...usageOf(event, tokens, costUsd) });
  };
}

/** The part of an amount that is new. The rest is taken from what was reported before. */
function rest(amount = 0, reported: { tokens: number; costUsd: number }, of: 'tokens' | 'costUsd'): number {
  const known = Math.min(amount, reported[of]);
  reported[of] -= known;
  return amount - known;
}

function usageOf(
  { model, provider, estimated, ...event }: Extract<RunRecord['event'], { type: 'task.reported' }>,
  tokens: number,
  costUsd: number,
): Report {
  // The split of tokens is known only of a whole report.
  const isWhole = tokens === (event.tokens ?? 0);
  return {
    ...(tokens > 0 && { tokens }),
    ...(costUsd > 0 && { costUsd }),
    ...(isWhole && event.inputTokens !== undefined && { inputTokens: event.inputTokens }),
    ...(isWhole && event.outputTokens !== undefined && { outputTokens: event.outputTokens }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(estimated && { estimated }),
  };
}
