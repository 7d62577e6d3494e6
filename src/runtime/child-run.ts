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

async function resultOfChild(
  pipeline: Pipeline<unknown>,
  { child, context, estimate }: ChildRequest,
  parent: Parent,
  live: Set<Run<unknown>>,
): Promise<RunResult<unknown>> {
  const id = context.idempotencyKey;
  const { store, starter, ...settings } = parent.settings();
  const limits = limitsOf(estimate);
  const report = reporterOf(id, pipeline, context, parent);
  const open = async (): Promise<Run<unknown> | RunResult<unknown>> => {
    const listed = await store?.run(id);
    if (!store || !listed) {
      const input = await child.input?.(context);
      return starter.start(pipeline, { ...settings, store, runId: id, input, limits });
    }
    if (listed.status !== 'running') return endOf(await readRun(store, id), pipeline, report);
    return starter.resume(store, id, pipeline, { ...settings, limits });
  };
  const run = await untilFree(open, context);
  if (!('result' in run)) return run;
  const stop = () => (parent.isLetGo() ? run.suspend() : run.cancel(`task "${context.task}" was stopped`));
  live.add(run);
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

/** Waits for the lease of a process that is gone. */
async function untilFree<T>(open: () => Promise<T>, context: TaskContext): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isTaken = PhasegateError.is(error) && error.code === 'RUN_LEASED';
      if (!isTaken || context.signal.aborted) throw error;
      await context.wait(LEASE_WAIT_MS);
      if (context.signal.aborted) throw error;
    }
  }
}

/** Milliseconds between looks at a run that another process has. */
const LEASE_WAIT_MS = 1000;

function limitsOf({ tokens, costUsd }: ChildRequest['estimate']): RunOptions['limits'] {
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
 * Returns a listener that reports the usage and progress of a child as those of its task. Usage that an earlier process has reported for it is not reported again.
 */
function reporterOf(
  id: string,
  { name, plan }: Pick<Pipeline, 'name' | 'plan'>,
  { report, phase, task }: TaskContext,
  { events }: Parent,
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
