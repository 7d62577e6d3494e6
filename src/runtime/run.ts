/**
 * Runs: machines, work and streams in one process.
 *
 * @module
 */
import type { Observable } from 'rxjs';
import { ulid } from 'ulid';
import { createActor, type ActorOptions, type ActorRefFrom } from 'xstate';
import type { Clock } from '../machines/actor.ts';
import { disband, listenTo } from '../machines/boards.ts';
import type { pipelineMachine } from '../machines/pipeline.machine.ts';
import type { Decision } from '../model/decision.ts';
import type { Pipeline } from '../model/define.ts';
import { errorInfo, PhasegateError, type ErrorInfo } from '../model/errors.ts';
import type { EventOf, RunEvent, RunRecord } from '../model/event.ts';
import { fingerprint } from '../model/plan.ts';
import type { PhaseStatus, RunResult, RunSnapshot } from '../model/result.ts';
import type { Outputs } from '../model/task-types.ts';
import { createRunView, resultOf } from '../model/view.ts';
import { acceptDecision } from './desk.ts';
import { guarded } from './inspector.ts';
import { inputOf } from './input.ts';
import { createJournal, type RunStore } from './journal.ts';
import { machineOf } from './machine.ts';
import { append, close, createRecordLog, iterate, recordAt, stream } from './records.ts';
import { RunUnsuccessfulError } from './unsuccessful.ts';

/** What `startRun` takes beside the pipeline. */
export interface RunOptions<I = unknown> {
  /** The input of the run; JSON, validated by the pipeline's `input` schema where it has one. */
  readonly input?: I | undefined;
  /** @default a ULID */
  readonly runId?: string | undefined;
  /** Cancels the run when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Watches every actor of the run, as XState's `createActor` takes it. Makes a run about twice as slow. */
  readonly inspect?: ActorOptions<typeof pipelineMachine>['inspect'] | undefined;
  /** Keeps the records of the run, in order. The result waits for the last one. */
  readonly store?: RunStore | undefined;
  /** Whether a person watches: then a review that cannot be had waits for a decision instead of failing. @default false */
  readonly attended?: boolean | undefined;
  /** Timers and, where it has `now()`, the time of records. @default the system's clock */
  readonly clock?: (Clock & { now?(): number }) | undefined;
}

/** Options of a run, which may only be left out where the input may. */
export type RunArguments<I> = undefined extends I
  ? readonly [options?: RunOptions<I>]
  : readonly [options: RunOptions<I> & { readonly input: I }];

/** One execution of a pipeline. */
export interface Run<O = Readonly<Record<string, Outputs>>> extends AsyncIterable<RunRecord> {
  readonly id: string;
  /** Every record of the run: past ones first, then live. Completes when the run has ended; never errors. */
  readonly events$: Observable<RunRecord>;
  /** The same from a position on, so that a consumer can pick up where it left. */
  eventsFrom(seq: number): Observable<RunRecord>;
  /** How the run stands now. */
  snapshot(): RunSnapshot;
  /** How the run ended. Always resolves. */
  readonly result: Promise<RunResult<O>>;
  /** Committed outputs, by phase, then task. Rejects with a {@link RunUnsuccessfulError} where the run did not complete. */
  readonly outputs: Promise<O>;
  /**
   * Decides on what waits for a person: an escalated phase, by its name, or a limit that holds the run, by its name.
   *
   * @throws PhasegateError `NOT_ESCALATED` where nothing of that name waits, `DECISION_INVALID` where the text is no
   *   decision, `DECISION_TARGET_INVALID` where it sends back a phase that is not upstream. The run is not changed then.
   */
  decide(about: string, decision: Decision | string): void;
  /** Stops the run and aborts everything that works. Does nothing once the run has ended. */
  cancel(reason?: string): void;
}

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
  checkPipeline(pipeline);
  const { runId = ulid(), signal, inspect, store, clock, attended = false } = options;
  const log = createRecordLog(runId, () => clock?.now?.() ?? Date.now());
  let actor: ActorRefFrom<typeof pipelineMachine> | undefined;
  let ended = false;
  let finish: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (finish = resolve));
  const journal = store && createJournal(store, log, (error) => fail(errorInfo(error)));

  function publish(event: RunEvent): void {
    if (ended) return;
    ended = event.type === 'run.ended';
    append(log, event);
    journal?.write();
    if (!ended) return;
    close(log);
    finish();
  }

  /** Ends the run where its machine cannot: before it was started, or after it broke. */
  function windUp(end: Omit<EventOf<'run.ended'>, 'type'>): void {
    if (log.events.length === 0) publish(startedEvent(pipeline, null));
    for (const event of unfinished(snapshot(), end.reason ?? `the run ${end.status}`)) publish(event);
    publish({ type: 'run.ended', ...end });
  }

  function fail(error: ErrorInfo): void {
    if (actor?.getSnapshot().status === 'active') actor.send({ type: 'abort', error });
    else windUp({ status: 'failed', error });
  }

  /** The machine itself has failed, which is a bug: what works is stopped, and the result says so. */
  function breakOff(error: unknown): void {
    if (actor) disband(actor);
    windUp({ status: 'failed', error: errorInfo(error, 'INTERNAL') });
  }

  async function begin(): Promise<void> {
    const input = await inputOf(pipeline, options.input);
    if (ended) return;
    if (!input.ok) {
      fail(errorInfo(input.error));
      return;
    }
    actor = createActor(machineOf(pipeline), {
      id: runId,
      input: { run: runId, plan: pipeline.plan, input: input.value, attended, quiet: !inspect },
      ...(inspect && { inspect: guarded(inspect) }),
      ...(clock && { clock }),
    });
    // An inspector sees events only, so then nothing may go around them.
    if (inspect) actor.on('*', publish);
    else listenTo(actor, publish);
    actor.subscribe({ error: breakOff });
    actor.start();
  }

  function cancel(reason = 'cancelled'): void {
    if (ended) return;
    if (actor) actor.send({ type: 'cancel', reason });
    else windUp({ status: 'cancelled', reason });
  }

  function snapshot(): RunSnapshot {
    const view = createRunView();
    for (let at = 1, record = recordAt(log, 0); record; record = recordAt(log, at++)) view.apply(record);
    return view.snapshot();
  }

  if (signal) followSignal(signal, cancel, over);
  const result = over
    .then(() => journal?.flush())
    .then((failure) => recorded(resultOf(snapshot()) as RunResult<O>, failure));
  let outputs: Promise<O> | undefined;
  begin().catch(breakOff);
  return {
    id: runId,
    get events$() {
      return stream(log);
    },
    eventsFrom: (seq) => stream(log, seq),
    [Symbol.asyncIterator]: () => iterate(log),
    snapshot,
    result,
    get outputs() {
      outputs ??= result.then(outputsOf);
      return outputs;
    },
    decide(about, given) {
      const decision = acceptDecision(pipeline.plan, log.events, about, given);
      actor?.send({ type: 'decide', about, decision });
    },
    cancel,
  };
}

/**
 * Runs a pipeline to its end. Nobody can be asked: a run that waits for a person is cancelled; use `startRun` for those.
 *
 * @returns The outputs, by phase, then task.
 * @throws RunUnsuccessfulError where the run did not complete.
 */
export function runPipeline<O, I>(pipeline: Pipeline<O, I>, ...options: RunArguments<I>): Promise<O> {
  const run = startRun(pipeline, ...options);
  run.events$.subscribe(({ event }) => {
    const limit = event.type === 'limit.reached' && event.holds === null && pipeline.plan.onLimit === 'escalate';
    if (event.type !== 'phase.escalated' && !limit) return;
    const about = 'phase' in event ? `phase "${event.phase}"` : `the limit ${event.limit}`;
    run.cancel(`${about} waits for a person, whom runPipeline cannot ask: use startRun and run.decide`);
  });
  return run.outputs;
}

// --- internal ---

function startedEvent({ plan }: Pick<Pipeline, 'plan'>, input: unknown): RunEvent {
  return { type: 'run.started', plan, fingerprint: fingerprint(plan), input };
}

/** How the phases end that have not, when the run does. */
function unfinished({ phases }: RunSnapshot, because: string): readonly RunEvent[] {
  return Object.entries(phases).flatMap(([phase, { status, attempts }]): readonly RunEvent[] => {
    if (ENDED.has(status)) return [];
    return [{ type: status === 'pending' && attempts === 0 ? 'phase.skipped' : 'phase.cancelled', phase, because }];
  });
}

const ENDED: ReadonlySet<PhaseStatus> = new Set(['approved', 'rejected', 'failed', 'skipped', 'cancelled']);

function checkPipeline(pipeline: unknown): void {
  if (typeof pipeline === 'object' && pipeline !== null && 'plan' in pipeline && 'work' in pipeline) return;
  throw new PhasegateError('DEFINITION_INVALID', 'Cannot start a run as what was given is not a pipeline', {
    hint: 'Pass what definePipeline() returns.',
  });
}

function followSignal(signal: AbortSignal, cancel: (reason: string) => void, over: Promise<void>): void {
  const stop = () => cancel(errorInfo(signal.reason).message);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  void over.then(() => signal.removeEventListener('abort', stop));
}

/** The result of a run; one whose end could not be recorded has failed, whatever it was. */
function recorded<O>(result: RunResult<O>, failure: PhasegateError | undefined): RunResult<O> {
  return failure ? { ...result, status: 'failed', error: errorInfo(failure) } : result;
}

function outputsOf<O>(result: RunResult<O>): O {
  if (result.status !== 'completed') throw new RunUnsuccessfulError(result);
  return result.outputs as O;
}
