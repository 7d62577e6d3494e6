/**
 * Opening of the run of a task: it is started, resumed, continued from before a retry of its parent, or has ended.
 *
 * @module
 */
import type { Pipeline } from '../model/definition/define.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { TaskContext } from '../model/handlers/task.ts';
import type { RunResult } from '../projections/run/run-result.ts';
import { foldRun, resultOf } from '../projections/run/run-view.ts';
import { refuseDamaged } from '../store/damage.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import { readRun } from '../store/read-run.ts';
import { previousChildren } from './child-ids.ts';
import type { ChildRequest, Outer, Parent, SharedSettings } from './child-runs.ts';
import { reporterOf } from './records/child-reports.ts';
import type { ResumeOptions } from './resume.ts';
import type { Run, RunOptions } from './run.ts';

/** The part of the options of a child run that its parent sets. */
export type WithinParent = Pick<SharedSettings, 'within'>;

/** Continues a stored run. */
type Continue = (
  store: RunStore,
  runId: string,
  pipeline: Pipeline<unknown>,
  options: ResumeOptions & WithinParent,
  outer?: Outer,
) => Promise<Run<unknown>>;

/** The functions that start and continue the runs of tasks. */
export interface ChildStarter {
  start(pipeline: Pipeline<unknown>, options: RunOptions & WithinParent, outer?: Outer): Run<unknown>;
  readonly resume: Continue;
  readonly retry: Continue;
  /** Copies a run that has ended, to be retried. Resolves with false, and copies nothing, if its plan or input differs. */
  copy(from: string, to: string, request: CopyRequest): Promise<boolean>;
}

/** A run that may continue an earlier one. */
export interface CopyRequest {
  readonly store: RunStore;
  readonly pipeline: Pipeline<unknown>;
  /** The input of the new run, as given. */
  readonly input: unknown;
  readonly options: ResumeOptions;
}

/**
 * An open run, with the listener that reports its records as those of its task, and its number of records before; or the end of one that
 * has ended.
 */
export type Opened =
  | { readonly run: Run<unknown>; readonly report: (record: RunRecord) => void; readonly seq: number }
  | { readonly result: RunResult<unknown> };

/** Starts or continues the run of a task, or reads its end. Waits for the lease of a process that is gone. */
export async function openChild(
  pipeline: Pipeline<unknown>,
  request: ChildRequest,
  parent: Parent,
  outer: Outer | undefined,
): Promise<Opened> {
  const { child, context, estimate } = request;
  const id = context.idempotencyKey;
  const { store, starter, allowChanged, allowMasked, ...settings } = parent.settings();
  for (;;) {
    try {
      const listed = await store?.run(id);
      if (listed) refuseDamaged('continue', listed);
      const seq = listed?.seq ?? 0;
      const report = reporterOf(id, pipeline, context, { events: parent.events, seq });
      if (!store || !listed) {
        const input = await child.input?.(context);
        const options = { ...settings, allowChanged, allowMasked };
        if (store && (await copyPrevious({ store, pipeline, input, options }, request, parent))) continue;
        return {
          run: starter.start(pipeline, { ...settings, store, runId: id, input, limits: limitsOf(estimate) }, outer),
          report,
          seq,
        };
      }
      const records = await readRun(store, id);
      const copied = copiedRecords(records);
      const limits = limitsOf(estimate, copied);
      // An earlier process has reported its usage, so the estimate is not due.
      if (Object.keys(limits).length > 0)
        context.report(Object.fromEntries(Object.keys(limits).map((name) => [name, 0])));
      const isCopy =
        copied.length > 0 && !records.slice(copied.length).some(({ event }) => event.type === 'run.reopened');
      const isEnded = listed.status === 'completed' || (listed.status !== 'running' && !isCopy);
      if (isEnded) return { result: endOf(records, pipeline, report) };
      const go = listed.status === 'running' ? starter.resume : starter.retry;
      const run = await go(store, id, pipeline, { ...settings, limits, allowChanged, allowMasked }, outer);
      return { run, report, seq };
    } catch (error) {
      const code = PhasegateError.is(error) ? error.code : undefined;
      // Another process has ended it since: the next look finds its end.
      if (code === 'RUN_ENDED') continue;
      if (code === undefined || !isNoEnd(code)) throw error;
      if (code !== 'RUN_LEASED') throw interrupted(error, code, request, parent);
      await nextLook(context, error);
    }
  }
}

/** The run of a task as the store lists it. A store that fails to tell is no failure of the task: then its parent is suspended. */
export async function listedChild(request: ChildRequest, parent: Parent): Promise<ListedRun | undefined> {
  try {
    return await parent.settings().store?.run(request.context.idempotencyKey);
  } catch (error) {
    const code = PhasegateError.is(error) ? error.code : undefined;
    throw code !== undefined && isNoEnd(code) ? interrupted(error, code, request, parent) : error;
  }
}

/** Suspends the parent of a run that this process cannot work on: both can be resumed. Without a store there is nothing to resume. */
export function interrupted(
  error: unknown,
  code: string | undefined,
  { context }: ChildRequest,
  parent: Parent,
): unknown {
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
export async function nextLook(context: TaskContext, error: unknown): Promise<void> {
  if (!context.signal.aborted) await context.wait(LEASE_WAIT_MS);
  if (context.signal.aborted) throw error instanceof Error ? error : new Error(String(error));
}

/** True if an error is no end of a run: it only keeps this process from working on it, or from storing its end. */
export function isNoEnd(code: string): boolean {
  return code.startsWith('STORE_') || NO_END.has(code);
}

/** The estimate of a task as limits of its run. Usage that was copied from another run is not counted against it. */
export function limitsOf(
  { tokens, costUsd }: ChildRequest['estimate'],
  copied: readonly RunRecord[] = [],
): NonNullable<RunOptions['limits']> {
  const spent = { tokens: 0, costUsd: 0 };
  for (const { event } of copied) {
    if (event.type !== 'task.reported') continue;
    spent.tokens += event.tokens ?? 0;
    spent.costUsd += event.costUsd ?? 0;
  }
  return {
    ...(tokens !== undefined && { tokens: tokens + spent.tokens }),
    ...(costUsd !== undefined && { costUsd: costUsd + spent.costUsd }),
  };
}

// --- internal ---

/**
 * Copies the run of the same task from before the parent was retried, so that this one continues it. Resolves with false if there is
 * none, or if it was another one.
 */
async function copyPrevious(copy: CopyRequest, { context }: ChildRequest, parent: Parent): Promise<boolean> {
  const { starter } = parent.settings();
  const { store, pipeline, options } = copy;
  for (const from of await previousChildren(store, parent, context)) {
    const previous = await store.run(from);
    if (!previous) continue;
    refuseDamaged('continue', previous);
    if (previous.status === 'running') {
      // Its process was killed before it could end with its parent.
      const signal = AbortSignal.abort(new Error('the run that started it was retried'));
      await (
        await starter.resume(store, from, pipeline, { ...options, signal })
      ).result;
    }
    return starter.copy(from, context.idempotencyKey, copy);
  }
  return false;
}

/** The records of a run that were copied from another one. */
function copiedRecords(records: readonly RunRecord[]): readonly RunRecord[] {
  const first = records[0]?.event;
  return first?.type === 'run.started' ? records.slice(0, first.forked?.records ?? 0) : [];
}

const NO_END: ReadonlySet<string> = new Set([
  'RUN_EXISTS',
  'RUN_LEASED',
  'RUN_CHANGED',
  'INPUT_MASKED',
  'JOURNAL_DIVERGED',
  'LEASE_LOST',
]);

/** Milliseconds between looks at a run that another process has. */
const LEASE_WAIT_MS = 1000;

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
