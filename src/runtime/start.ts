/**
 * Starting, resuming and retrying of runs.
 *
 * @module
 */
import { newId } from '../model/values/new-id.ts';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { refuseUncounted } from '../model/definition/uncounted-limits.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { checkLimits, lowered } from '../model/events/run-limits.ts';
import { checkedTags } from '../model/events/run-tags.ts';
import type { ClaimedRun, RunStore } from '../store/port.ts';
import { checkRunId, runUnknown } from '../store/refusals.ts';
import { checkNewRunId } from '../store/run-id.ts';
import { copyEnded } from './child-copy.ts';
import { checkIsRoot } from './child-ids.ts';
import type { Outer } from './child-runs.ts';
import type { ChildStarter, WithinParent } from './open-child.ts';
import { runEngine } from './engine.ts';
import { persistRun } from './records/persistence.ts';
import { createRecordLog, timeFrom } from './records/record-log.ts';
import { patientStore } from './records/patient-store.ts';
import { resumeOrRetry, type ResumeOptions } from './resume.ts';
import { inputOf } from './run-input.ts';
import { StartedRun } from './run-handle.ts';
import { checkOptions, checkPipeline, type Run, type RunArguments, type RunOptions } from './run.ts';

/**
 * Starts a run and returns at once.
 *
 * @example
 * ```ts
 * const run = startRun(pipeline, { input: { topic: 'gates' } });
 * run.events$.subscribe(({ event }) => console.log(event.type));
 * const { status } = await run.result;
 * ```
 */
export function startRun<O, I>(pipeline: Pipeline<O, I>, ...[options = {}]: RunArguments<I>): Run<O> {
  return begin<O>(pipeline, options, undefined, checkNewRunId);
}

/** Starts a run. @param outer Room in the limits of the run whose task starts it. */
function begin<O>(
  made: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  options: RunOptions & WithinParent,
  outer?: Outer,
  checkId: (runId: string) => void = checkRunId,
): Run<O> {
  checkPipeline(made);
  checkOptions(options, 'start a run');
  const plan = lowered(made.plan, options.limits);
  const pipeline = plan === made.plan ? made : { ...made, plan };
  const { runId = newId(), clock, holder, source, signal, inspect, redact, whileWaiting, within } = options;
  const store = options.store === undefined ? undefined : patientStore(options.store);
  const log = createRecordLog(runId, timeFrom(clock), store !== undefined);
  return runEngine<O>({
    pipeline,
    log,
    signal,
    inspect,
    whileWaiting,
    within,
    outer,
    shared: { store, holder, source, starter, redact, clock },
    persistence: store && persistRun({ store, log, holder, origin: { source } }),
    async begin() {
      checkId(runId);
      return { input: await startInput(pipeline, runId, options) };
    },
  });
}

/**
 * The input of the machine of a new run.
 *
 * @param options With `kept: true` for a run whose records are kept without a store.
 * @throws PhasegateError `INPUT_INVALID`, `TAG_INVALID` and others for options that are wrong.
 */
export async function startInput(
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  runId: string,
  {
    memory = false,
    tags: wanted,
    limits,
    attended = false,
    store,
    kept = store !== undefined,
    input: given,
  }: RunOptions & { readonly kept?: boolean },
): Promise<PipelineInput> {
  checkScope(memory);
  checkLimits(limits, 'start');
  const tags = checkedTags(wanted);
  refuseUncounted(pipeline.plan, pipeline.work);
  const input = await inputOf(pipeline, given);
  if (!input.ok) throw input.error;
  return {
    run: runId,
    plan: pipeline.plan,
    input: input.value,
    given: kept ? input.given : undefined,
    attended,
    kept,
    memory: memory === false ? undefined : memory,
    tags,
  };
}

/**
 * Runs a pipeline to its end. It cannot ask people: a run that waits for a person is cancelled. Use `startRun` for such runs.
 *
 * @returns The outputs, by phase, then task.
 * @throws RunUnsuccessfulError if the run did not complete.
 */
export function runPipeline<O, I>(pipeline: Pipeline<O, I>, ...options: RunArguments<I>): Promise<O> {
  const run = startRun(pipeline, ...options);
  const watch = (one: Run<unknown>) => {
    let holds = false;
    one.events$.subscribe(({ event }) => {
      if (event.type === 'run.started') holds = event.plan.onLimit === 'escalate';
      const limit = event.type === 'limit.reached' && event.holds === null && holds;
      if (event.type !== 'phase.escalated' && event.type !== 'task.asked' && !limit) return;
      const about = 'phase' in event ? `phase "${event.phase}"` : `the limit ${event.limit}`;
      run.cancel(`${about} waits for a person, whom runPipeline cannot ask: use startRun and run.decide`);
    });
  };
  watch(run);
  StartedRun.watchChildren(run, watch);
  return run.outputs;
}

/**
 * Resumes a run that no process works on.
 *
 * Approved phases are not run again. Counters and open questions are restored. Interrupted tasks run again with the same idempotency key.
 *
 * @throws PhasegateError `RUN_UNKNOWN`; `RUN_ENDED`; `RUN_HAS_PARENT` if a task has started it; `RUN_LEASED` if another process works on it; `RUN_CHANGED` if the pipeline differs
 *   from that of the start; `INPUT_MASKED`; `JOURNAL_DIVERGED` if the pipeline does not lead to the run's records.
 */
export function resumeRun<O>(
  store: RunStore,
  runId: string,
  pipeline: Pipeline<O, never> | Pipeline<O>,
  options: ResumeOptions = {},
): Promise<Run<O>> {
  return begunBy(store, runId, pipeline, options, 'resume');
}

/**
 * Retries a run that has ended without success: approved phases stay, all others run again.
 *
 * @throws PhasegateError as {@link resumeRun} does; `RUN_ENDED` if it was completed, `RUN_NOT_ENDED` if it was interrupted or waits
 *   for a person.
 */
export function retryRun<O>(
  store: RunStore,
  runId: string,
  pipeline: Pipeline<O, never> | Pipeline<O>,
  options: ResumeOptions = {},
): Promise<Run<O>> {
  return begunBy(store, runId, pipeline, options, 'retry');
}

/** Resumes a run that the caller has claimed. On an error, the caller releases its lease. */
export function resumeClaimed<O>(
  store: RunStore,
  claimed: ClaimedRun,
  pipeline: Pipeline<O, never> | Pipeline<O>,
  options: ResumeOptions,
): Promise<Run<O>> {
  return resumeOrRetry(store, claimed.run.runId, pipeline, options, 'resume', { starter, claimed });
}

/** Tasks start runs by the same functions as a user. */
export const starter: ChildStarter = {
  start: (pipeline, options, outer) => begin(pipeline, options, outer),
  resume: (store, runId, pipeline, options, outer) =>
    resumeOrRetry(store, runId, pipeline, options, 'resume', { starter, outer }),
  retry: (store, runId, pipeline, options, outer) =>
    resumeOrRetry(store, runId, pipeline, options, 'retry', { starter, outer }),
  copy: copyEnded,
};

// --- internal ---

/** Continues a run for a user. */
async function begunBy<O>(
  given: RunStore,
  runId: string,
  pipeline: Pipeline<O, never> | Pipeline<O>,
  options: ResumeOptions,
  how: 'resume' | 'retry',
): Promise<Run<O>> {
  const store = patientStore(given);
  if (typeof runId !== 'string') throw runUnknown(how, String(runId));
  await checkIsRoot(store, runId, how);
  return resumeOrRetry(store, runId, pipeline, options, how, { starter });
}

/** @throws PhasegateError `INPUT_INVALID` for a blank scope, which all runs without a name would share. */
function checkScope(memory: unknown): void {
  if (memory === false || (typeof memory === 'string' && memory.trim() !== '')) return;
  const found = typeof memory === 'string' ? 'blank' : `${typeof memory === 'object' ? 'an' : 'a'} ${typeof memory}`;
  throw new PhasegateError(
    'INPUT_INVALID',
    `Cannot start a run as its \`memory\` is ${found}, not the name of a scope`,
    {
      hint: 'Name the memory that the run shares, such as the id of a tenant; or omit `memory` for none.',
    },
  );
}
