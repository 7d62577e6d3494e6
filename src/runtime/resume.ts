/**
 * Runs that go on: after the process that worked on them has ended, from where they failed, or from any point of another.
 *
 * @module
 */
import { ulid } from 'ulid';
import type { Board } from '../machines/board.ts';
import { goOn } from '../machines/pipeline.machine.ts';
import { reopen, resumeRun as resumeBoard } from '../machines/reopen.ts';
import { replay, type Replayed } from '../machines/replay.ts';
import { packRecord } from '../model/artifact.ts';
import type { Pipeline } from '../model/define.ts';
import { PhasegateError } from '../model/errors.ts';
import type { EventOf, RunRecord } from '../model/event.ts';
import { foldInbox } from '../model/inbox.ts';
import { fingerprint } from '../model/plan.ts';
import { planChanges } from '../model/plan-changes.ts';
import { foldRunInfo } from '../model/run-info.ts';
import type { Batch, Lease, RunStore } from '../store/port.ts';
import { readRun } from '../store/read.ts';
import { runEngine } from './engine.ts';
import { keepRun } from './keeping.ts';
import { createRecordLog, reveal } from './records.ts';
import { checkPipeline, type Run, type RunOptions } from './run.ts';

/** Options of {@link resumeRun}. */
export interface ResumeOptions extends Pick<RunOptions, 'signal' | 'inspect' | 'clock' | 'holder' | 'attended'> {
  /**
   * Goes on with another definition than the run was started with, where that would have led to the same records: what has
   * begun is unchanged, and only later phases differ.
   *
   * @default false
   */
  readonly allowChanged?: boolean | undefined;
}

/** Which point of a run to fork from. */
export interface ForkOptions {
  /** Up to which record, by its number; or which phase, so that it is as if it had never started. */
  readonly at: number | { readonly phase: string };
  /** @default a ULID */
  readonly runId?: string | undefined;
}

/**
 * Goes on with a run that no process works on, from where it was left.
 *
 * What is approved is not run again, counters and open questions are what they were, and tasks that were interrupted run
 * again, with the same idempotency key.
 *
 * @throws PhasegateError `RUN_UNKNOWN`, `RUN_ENDED`, `RUN_LEASED` where another process works on it, `RUN_CHANGED` where the
 *   pipeline is another than it was started with, `JOURNAL_DIVERGED` where that would not have led to its records.
 */
export function resumeRun<O>(
  store: RunStore,
  runId: string,
  pipeline: Pipeline<O, never> | Pipeline<O, unknown>,
  options: ResumeOptions = {},
): Promise<Run<O>> {
  return proceed(store, runId, pipeline, options, 'resume');
}

/**
 * Goes on with a run that has ended without success: everything that is approved stays, everything else runs again.
 *
 * @throws PhasegateError as {@link resumeRun} does; `RUN_ENDED` where it was completed.
 */
export function retryFailed<O>(
  store: RunStore,
  runId: string,
  pipeline: Pipeline<O, never> | Pipeline<O, unknown>,
  options: ResumeOptions = {},
): Promise<Run<O>> {
  return proceed(store, runId, pipeline, options, 'retry');
}

/** A run that could not be recovered. */
export interface Unrecovered {
  readonly runId: string;
  readonly error: unknown;
}

/**
 * Goes on with every run that has not ended and that no process works on: for the start of a program.
 *
 * @param pipelines Found by their names. Runs of others are left alone.
 */
export async function recoverAll(
  store: RunStore,
  pipelines: readonly Pipeline<unknown, never>[],
  options: ResumeOptions = {},
): Promise<{ readonly runs: readonly Run<unknown>[]; readonly failed: readonly Unrecovered[] }> {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.name, pipeline]));
  const left = await store.runs({ status: ['running'], leased: false });
  const runs: Run<unknown>[] = [];
  const failed: Unrecovered[] = [];
  for (const { runId, pipeline: name } of left.toReversed()) {
    const pipeline = byName.get(name);
    if (!pipeline) continue;
    try {
      // One after the other: a run that is taken by another process meanwhile is not ours.
      runs.push(await resumeRun(store, runId, pipeline, options));
    } catch (error) {
      if (!(PhasegateError.is(error) && error.code === 'RUN_LEASED')) failed.push({ runId, error });
    }
  }
  return { runs, failed };
}

/**
 * Makes a new run that is left where another was at some point: resume it, with the same pipeline or a changed one.
 *
 * @returns The id of the new run.
 * @throws PhasegateError `RUN_UNKNOWN`, `FORK_INVALID` where there is no such point.
 */
export async function forkRun(store: RunStore, runId: string, options: ForkOptions): Promise<string> {
  const records = await readRun(store, runId);
  const count = pointOf(runId, records, options.at);
  const forked = options.runId ?? ulid();
  const lease = await store.acquire(forked, 'fork', FORK_MS);
  try {
    await store.append(batchOf(forked, runId, records.slice(0, count)), lease);
  } finally {
    await store.release(lease);
  }
  return forked;
}

// --- internal ---

/** Milliseconds for which a fork may copy. */
const FORK_MS = 60_000;

/** Milliseconds until the right to append expires, while a run is told again; then it is renewed. */
const TELLING_MS = 60_000;

async function proceed<O>(
  store: RunStore,
  runId: string,
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  options: ResumeOptions,
  how: 'resume' | 'retry',
): Promise<Run<O>> {
  checkPipeline(pipeline);
  const { clock, holder } = options;
  if (!(await store.run(runId))) throw runUnknown(runId);
  const lease = await store.acquire(runId, holder ?? `process ${globalThis.process?.pid ?? ''}`, TELLING_MS);
  try {
    const records = await readRun(store, runId);
    const told = tell(runId, pipeline, records, options, how);
    const log = createRecordLog(runId, () => clock?.now?.() ?? Date.now(), true);
    for (const { event, time } of records) {
      log.events.push(event);
      log.times.push(time);
    }
    reveal(log, records.length);
    return await started<O>(store, log, lease, pipeline, options, told);
  } catch (error) {
    await store.release(lease);
    throw error;
  }
}

interface Told {
  readonly replayed: Replayed;
  readonly next: (board: Board) => void;
  readonly startedAt: number;
}

/** The run as its records left it. */
function tell(
  runId: string,
  { plan, name }: Pick<Pipeline, 'plan' | 'name'>,
  records: readonly RunRecord[],
  { allowChanged = false, attended }: ResumeOptions,
  how: 'resume' | 'retry',
): Told {
  const started = records[0]?.event;
  const last = records.findLast(({ event }) => event.type === 'run.ended' || event.type === 'run.reopened')?.event;
  if (started?.type !== 'run.started') throw runUnknown(runId);
  checkEnd(runId, last?.type === 'run.ended' ? last : undefined, how);
  const known = planOf(records, started);
  const isChanged = fingerprint(plan) !== fingerprint(known);
  if (isChanged && !allowChanged) throw runChanged(runId, name, planChanges(known, plan));
  const input = {
    run: runId,
    plan,
    input: started.input,
    attended: attended ?? started.attended ?? false,
  };
  const replayed = replay({ ...input, attended: started.attended ?? false }, records, { changed: isChanged });
  const event: EventOf<'run.resumed'> = isChanged
    ? { type: 'run.resumed', plan, fingerprint: fingerprint(plan) }
    : { type: 'run.resumed' };
  return {
    replayed,
    startedAt: records[0]?.time ?? 0,
    next(board) {
      resumeBoard(board, event);
      if (how === 'retry') reopen(board);
    },
  };
}

/** The plan that the run goes by: its first, or the latest that it was resumed with. */
function planOf(records: readonly RunRecord[], started: EventOf<'run.started'>) {
  const changed = records.findLast(({ event }) => event.type === 'run.resumed' && event.plan)?.event;
  return (changed?.type === 'run.resumed' ? changed.plan : undefined) ?? started.plan;
}

function started<O>(
  store: RunStore,
  log: ReturnType<typeof createRecordLog>,
  lease: Lease,
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  options: ResumeOptions,
  { replayed, next, startedAt }: Told,
): Promise<Run<O>> {
  return new Promise((resolve, reject) => {
    const { board } = replayed;
    const run: Run<O> = runEngine<O>({
      ...options,
      pipeline,
      log,
      keeping: keepRun({ store, log, lease, holder: lease.holder }),
      begin: () =>
        Promise.resolve({
          input: {
            run: log.runId,
            plan: board.plan,
            input: board.input,
            attended: board.attended ?? false,
            spentMs: log.now() - startedAt,
          },
          prepare: (actor) => goOn(actor, replayed, log.now(), next),
        }),
      begun(error) {
        if (error === undefined) resolve(run);
        else reject(error);
      },
    });
  });
}

/** The number of records to copy. */
function pointOf(runId: string, records: readonly RunRecord[], at: ForkOptions['at']): number {
  if (records.length === 0) throw runUnknown(runId);
  if (typeof at === 'number') {
    if (Number.isInteger(at) && at >= 1 && at <= records.length) return at;
    throw forkInvalid(runId, `record ${at}`, `It has records 1 to ${records.length}.`);
  }
  const first = records.findIndex(({ event }) => event.type === 'phase.started' && event.phase === at.phase);
  if (first > 0) return first;
  throw forkInvalid(runId, `phase "${at.phase}"`, 'That phase has not started in it.');
}

function batchOf(runId: string, forkOf: string, copied: readonly RunRecord[]): Batch {
  const info = foldRunInfo(forkOf);
  const inbox = foldInbox();
  const packed = copied.map((record) => {
    const own = { ...record, runId };
    info.apply(own);
    inbox.apply(own);
    return packRecord(own);
  });
  const items = inbox.open();
  return {
    runId,
    records: packed.map(({ record }) => record),
    info: info.info([...new Set(items.map(({ about }) => about))]),
    items,
    artifacts: packed.flatMap(({ artifacts }) => artifacts),
  };
}

function checkEnd(runId: string, end: EventOf<'run.ended'> | undefined, how: 'resume' | 'retry'): void {
  if (how === 'resume' && end) {
    throw new PhasegateError('RUN_ENDED', `Cannot resume run ${runId} as it has ended: ${end.status}`, {
      hint: 'Try what was not approved again with retryFailed(), or fork it.',
    });
  }
  if (how === 'retry' && end?.status === 'completed') {
    throw new PhasegateError('RUN_ENDED', `Cannot try run ${runId} again as it was completed`, {
      hint: 'Fork it to run a part of it again.',
    });
  }
}

function runUnknown(runId: string): PhasegateError {
  return new PhasegateError('RUN_UNKNOWN', `Cannot go on with run ${runId} as the store has no run of that id`, {
    hint: 'See which there are with store.runs().',
  });
}

function runChanged(runId: string, name: string, changes: readonly string[]): PhasegateError {
  const problem = `Cannot resume run ${runId} as the definition of "${name}" has changed:\n  ${changes.join('\n  ')}`;
  return new PhasegateError('RUN_CHANGED', problem, {
    hint: 'Resume it with the definition that it was started with; or allow the change, where it is about phases that have not begun.',
  });
}

function forkInvalid(runId: string, point: string, hint: string): PhasegateError {
  return new PhasegateError('FORK_INVALID', `Cannot fork run ${runId} at ${point} as it has no such point`, { hint });
}
