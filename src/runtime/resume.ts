/**
 * Resuming of runs whose process has ended, and retrying of runs that have failed.
 *
 * @module
 */
import { markResumed, reopenRun } from '../machines/coordinator/continue-run.ts';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import type { Continuation } from '../machines/pipeline/continuation.ts';
import { continueFrom } from '../machines/pipeline/open-run.ts';
import { replayChecked } from '../machines/replay/check-journal.ts';
import type { Replayed } from '../machines/replay/replay.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { errorInfo, PhasegateError } from '../model/errors/phasegate-error.ts';
import type { EventOf, RunRecord } from '../model/events/event.ts';
import { guardRedact, isRedacted } from '../model/events/guard-redact.ts';
import { redactSecrets } from '../model/events/redact.ts';
import { endOf } from '../model/events/run-end.ts';
import { limitsTooLow } from '../model/events/run-limits.ts';
import { definitionOf } from '../model/events/run-definition.ts';
import { fingerprint, fingerprintLike, type Plan } from '../model/plan/plan.ts';
import { isSameJson } from '../model/values/json.ts';
import { holderIsAlive, thisHolder } from '../store/holder.ts';
import { releaseGone } from '../store/lease-holder.ts';
import type { ClaimedRun, Lease, ListedRun, RunStore } from '../store/port.ts';
import { refuseDamaged } from '../store/damage.ts';
import { readRun } from '../store/read-run.ts';
import { runUnknown } from '../store/refusals.ts';
import { cancelSuperseded } from './child-run.ts';
import type { Outer } from './child-runs.ts';
import type { ChildStarter, WithinParent } from './open-child.ts';
import { checkStartedPhases } from './resuming/compatible-plan.ts';
import { runEngine } from './engine.ts';
import { endLeftProcesses } from './resuming/left-processes.ts';
import { nextPlan } from './resuming/next-plan.ts';
import { checkEnd } from './resuming/not-resumable.ts';
import { persistRun, type PersistenceOptions } from './records/persistence.ts';
import { giveBack, REPLAY_LEASE_MS } from './records/release-lease.ts';
import { patientStore } from './records/patient-store.ts';
import { createRecordLog, publishUpTo, timeFrom } from './records/record-log.ts';
import { checkForkInput, checkUnmasked, inputOfState } from './run-input.ts';
import { checkOptions, checkPipeline, type Run, type RunOptions } from './run.ts';

/** Options of `resumeRun`. */
export interface ResumeOptions extends Pick<
  RunOptions,
  'signal' | 'inspect' | 'clock' | 'holder' | 'source' | 'redact' | 'limits' | 'whileWaiting'
> {
  /**
   * Resumes with a definition other than that of the start. It must lead to the same records: phases that have begun are unchanged, and
   * only later phases differ.
   *
   * @default false
   */
  readonly allowChanged?: boolean | undefined;
  /** Resumes although `redact` has masked the input of the run: handlers then get the masked input. @default false */
  readonly allowMasked?: boolean | undefined;
  /**
   * True if a person is available from now on: a failed review then waits for a decision instead of failing its phase. That includes a
   * review in progress.
   *
   * @default as before
   */
  readonly attended?: boolean | undefined;
}

/** A replayed run, and the step that continues it. */
export interface PreparedResume {
  /** The input of its machine. */
  readonly input: PipelineInput;
  readonly replayed: Replayed;
  readonly next: Continuation['next'];
}

/** Replays a run. @throws PhasegateError if it cannot continue with that pipeline, as `resumeRun` does. */
export function prepareResume(
  runId: string,
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  records: readonly RunRecord[],
  options: ResumeOptions,
  how: 'resume' | 'retry',
): PreparedResume {
  const { redact = redactSecrets, attended } = options;
  const first = records[0]?.event;
  if (first?.type !== 'run.started') throw runUnknown(how, runId);
  checkEnd(runId, records, endOf(records), how);
  const { attended: reached = false, memory, edition = 1 } = first;
  const known = definitionOf(records, first);
  const { plan, isChanged, isLimited } = nextPlan({ runId, records, first, known }, pipeline, options, how);
  const input = { run: runId, plan, input: first.input, attended: reached, memory, edition };
  // The plan may differ from the first one although this resume does not change it: an earlier resume may have.
  const changed = fingerprintLike(plan, first) !== first.fingerprint;
  if (changed) checkStartedPhases(runId, plan, records);
  const replayed = replayLimited(isLimited, input, records, {
    changed,
    reopens: how === 'retry',
    redact: guardRedact(redact),
    isRedactOwn: options.redact !== undefined || isRedacted(records),
  });
  const event: EventOf<'run.resumed'> = {
    type: 'run.resumed',
    ...(isChanged && { plan, fingerprint: fingerprint(plan) }),
    ...(attended !== undefined && attended !== replayed.state.attended && { attended }),
  };
  return {
    input: inputOfState(runId, replayed.state),
    replayed,
    next(state, workedMs) {
      markResumed(state, workedMs === undefined ? event : { ...event, workedMs });
      if (how === 'retry') reopenRun(state);
    },
  };
}

/** The runs that a run belongs to. */
interface Relations {
  /** Starts the runs of its tasks. */
  readonly starter: ChildStarter;
  /** Room in the limits of the run whose task has started it. @default unlimited */
  readonly outer?: Outer | undefined;
  /** The run with its lease, if the caller has claimed it. On an error, the caller releases the lease. @default it is acquired here */
  readonly claimed?: ClaimedRun | undefined;
}

/** Resumes a run that has not ended, or retries one that has. */
export async function resumeOrRetry<O>(
  given: RunStore,
  runId: string,
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  options: ResumeOptions & WithinParent,
  how: 'resume' | 'retry',
  relations: Relations,
): Promise<Run<O>> {
  checkPipeline(pipeline, `${how} a run`);
  checkOptions(options, `${how} a run`);
  const store = patientStore(given);
  const { clock, holder } = options;
  const { claimed } = relations;
  const listed = claimed?.run ?? (await store.run(runId));
  if (!listed) throw runUnknown(how, runId);
  refuseDamaged(how, listed);
  const origin = { forkOf: listed.forkOf, source: options.source ?? listed.source, startedAt: listed.startedAt };
  if (!claimed) await releaseGone(store, listed, holderIsAlive);
  const lease = claimed?.lease ?? (await store.acquire(runId, holder ?? thisHolder(), REPLAY_LEASE_MS));
  try {
    await endLeftProcesses(listed);
    const records = sharePlan(pipeline.plan, await readRun(store, runId, 1, undefined, pipeline.plan));
    // A damaged message may be an answer, so it is found before the run goes on.
    await store.messages(runId);
    if (!options.allowMasked) checkUnmasked(how, runId, records);
    if (listed.forkOf !== undefined) await checkForkInput(runId, pipeline, records);
    const prepared = prepareResume(runId, pipeline, records, options, how);
    const log = createRecordLog(runId, timeFrom(clock), true);
    for (const { event, time } of records) {
      log.events.push(event);
      log.times.push(time);
    }
    publishUpTo(log, records.length);
    // If one cannot be cancelled now, it is at the end of this run.
    const { redact } = options;
    await cancelSuperseded(runId, log.events, { store, clock, holder, redact, ...relations }).catch(() => undefined);
    const leftAt = leftAtOf(listed, clock?.now ? undefined : log.now());
    return await onStarted<O>({ store, log, lease, origin, ...relations }, pipeline, options, {
      ...prepared,
      leftAt,
    });
  } catch (error) {
    if (!claimed) await giveBack(store, lease);
    throw error;
  }
}

// --- internal ---

/**
 * Latest known time at which the previous process had the run, in milliseconds since 1970: its lease was acquired or renewed then.
 *
 * @param now `undefined` with a custom clock, as leases use the system's clock.
 */
function leftAtOf({ lease, lapsed, updatedAt }: ListedRun, now: number | undefined): number | undefined {
  const held = lease ?? lapsed;
  if (!held || now === undefined) return undefined;
  return Math.min(now, Math.max(updatedAt, held.expiresAt - REPLAY_LEASE_MS));
}

/** @param isLimited True if only limits of the run differ from before. */
function replayLimited(isLimited: boolean, ...[input, records, options]: Parameters<typeof replayChecked>): Replayed {
  try {
    return replayChecked(input, records, options);
  } catch (error) {
    throw isLimited ? limitsTooLow(input.run, error) : error;
  }
}

/** The records, with equal plans replaced by the given one, so that a large plan is compared once and in memory once. */
function sharePlan(plan: Plan, records: readonly RunRecord[]): readonly RunRecord[] {
  const hasOther = ({ event }: RunRecord) => 'plan' in event && event.plan !== plan;
  if (!records.some(hasOther)) return records;
  return records.map((record) => {
    const { event } = record;
    return 'plan' in event && isSameJson(event.plan, plan) ? { ...record, event: { ...event, plan } } : record;
  });
}

function onStarted<O>(
  stored: Pick<PersistenceOptions, 'store' | 'log' | 'origin'> & Relations & { readonly lease: Lease },
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  options: ResumeOptions & WithinParent,
  { input, replayed, next, leftAt }: PreparedResume & Pick<Continuation, 'leftAt'>,
): Promise<Run<O>> {
  return new Promise((resolve, reject) => {
    const { log, lease } = stored;
    const persistence = persistRun({ ...stored, holder: lease.holder });
    const times = persistence.journal.times();
    const run: Run<O> = runEngine<O>({
      ...options,
      pipeline,
      log,
      outer: stored.outer,
      shared: {
        store: stored.store,
        holder: options.holder,
        source: stored.origin?.source,
        starter: stored.starter,
        redact: options.redact,
        clock: options.clock,
        allowChanged: options.allowChanged,
        allowMasked: options.allowMasked,
      },
      persistence,
      begin: () =>
        Promise.resolve({
          input,
          prepare: (actor) => continueFrom(actor, replayed, { now: log.now(), times, leftAt, next }),
        }),
      onStarted(error) {
        if (error === undefined) resolve(run);
        else reject(error instanceof Error ? error : new PhasegateError('INTERNAL', errorInfo(error).message));
      },
    });
  });
}
