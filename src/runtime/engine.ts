/**
 * One run in this process, however it began: its actor, its records, and what ends it.
 *
 * @module
 */
import { createActor, type ActorOptions, type ActorRefFrom } from 'xstate';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import { clockOf, type Clock } from '../machines/phase/clock.ts';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import { isTimed, setEventListener, stopPhases } from '../machines/pipeline/run-state-registry.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { errorInfo, type PhasegateError } from '../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import { guardRedact, redactSecrets, type Redact } from '../model/events/redact.ts';
import { EDITION } from '../model/plan/edition.ts';
import { fingerprint } from '../model/plan/plan.ts';
import { elided, TEXT_LIMITS } from '../model/values/text-limits.ts';
import type { PhaseStatus, RunOutcome, RunResult, RunSnapshot } from '../projections/run/run-result.ts';
import { createRunView, resultOf } from '../projections/run/run-view.ts';
import { openReception } from './exit-notice.ts';
import { bindPeople, needsPeople } from './inbox/human-work.ts';
import type { Reception } from './inbox/inbox.ts';
import { machineOf } from './machine-of.ts';
import type { Heard, Keeping } from './records/persistence.ts';
import { append, close, knownAt, seal, type RecordLog } from './records/record-log.ts';
import { StartedRun } from './run-handle.ts';
import { outcomeOf } from './run-outcome.ts';
import { outputsOf } from './run-unsuccessful-error.ts';
import type { Run } from './run.ts';
import { guarded } from './safe-inspector.ts';

/** The actor of a run. */
export type PipelineActor = ActorRefFrom<typeof pipelineMachine>;

/** What a run is made of. */
export interface EngineOptions {
  readonly pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>;
  readonly log: RecordLog;
  /** What keeps its records; `undefined` where nothing does. */
  readonly keeping: Keeping | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly inspect?: ActorOptions<typeof pipelineMachine>['inspect'] | undefined;
  /** What is done to events before they become records; may throw. @default obvious secrets are masked */
  readonly redact?: Redact | undefined;
  readonly clock?: (Clock & { now?(): number }) | undefined;
  /**
   * Finds out what the run begins with. It does not begin where this rejects: that is how it ends then.
   *
   * @returns The input of its actor, and what is done with that before it starts.
   */
  begin(): Promise<{
    readonly input: PipelineInput;
    readonly prepare?: ((actor: PipelineActor) => void) | undefined;
  }>;
  /** Told that it has begun, or why it has not. Where this is absent a run that has not begun ends as failed. */
  readonly begun?: ((error?: unknown) => void) | undefined;
}

/** Starts a run and returns at once. */
export function runEngine<O>(options: EngineOptions): Run<O> {
  const { pipeline, log, keeping, inspect, clock, signal } = options;
  let actor: PipelineActor | undefined;
  let ended = false;
  let suspended = false;
  let late: (() => void) | undefined;
  let finish: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (finish = resolve));
  let met: Reception | undefined;

  /** Made when somebody is needed, as most runs need nobody. */
  function reception(): Reception {
    met ??= openReception({
      pipeline,
      log,
      clock: () => actor && clockOf(actor),
      listen: async () => keeping?.listen(),
      tell: (command) => actor?.send(command),
      claim: keeping && ((item, body, by) => keeping.claim(item, body, by)),
    });
    return met;
  }

  const redact = guardRedact(options.redact ?? redactSecrets);

  function publish(said: RunEvent): void {
    if (ended) return;
    const event = redact(said);
    ended = event.type === 'run.ended';
    append(log, event);
    keeping?.journal.write();
    if (met || needsPeople(event)) reception().note();
    if (ended) end();
  }

  function end(): void {
    ended = true;
    met?.close();
    close(log);
    finish();
  }

  /** Ends the run where its machine cannot: before it was started, or after it broke. */
  function windUp(last: Omit<EventOf<'run.ended'>, 'type'>): void {
    if (ended) return;
    if (log.events.length === 0) publish(startedEvent(pipeline, null));
    for (const event of unfinished(snapshot(), last.reason ?? `the run ${last.status}`)) publish(event);
    publish({ type: 'run.ended', ...last });
  }

  /** The machine itself has failed, which is a bug: what works is stopped, and the result says so. */
  function breakOff(error: unknown): void {
    if (actor) stopPhases(actor);
    windUp({ status: 'failed', error: errorInfo(error, 'INTERNAL') });
  }

  /** What cannot be kept does not happen: the run stops where it was last kept, and can be resumed from there. */
  function lose(error: PhasegateError): void {
    ended = true;
    if (actor) {
      stopPhases(actor);
      actor.stop();
    }
    forget();
    windUp({ status: 'failed', error: errorInfo(error) });
  }

  /** Takes back what nobody has seen, the end of the run included. What follows is told by the result alone. */
  function forget(): void {
    seal(log);
    ended = false;
  }

  async function begin(): Promise<void> {
    const beginning = options.begin();
    await keeping?.open(lose, hear, beginning);
    const { input, prepare } = await beginning;
    if (ended) return;
    const work = bindPeople(pipeline.work, (asking) => reception().ask(asking));
    const made = createActor(machineOf({ work }, keeping?.host), {
      id: log.runId,
      input: { ...input, quiet: !inspect },
      ...(inspect && { inspect: guarded(inspect) }),
      ...(clock && { clock }),
    });
    // An inspector sees events only, so then nothing may go around them.
    if (inspect) made.on('*', publish);
    else setEventListener(made, publish);
    made.subscribe({ error: breakOff });
    prepare?.(made);
    actor = made;
    actor.start();
    // Who has cancelled it meanwhile wants nothing of it to begin.
    late?.();
    if (log.events.some(needsPeople)) reception().note();
    // What was answered while nobody worked on the run is taken first.
    if (options.begun)
      await reception()
        .settled()
        .catch(() => undefined);
    options.begun?.();
  }

  function refuse(thrown: unknown): void {
    if (!options.begun && (!keeping || keeping.isOpen())) {
      windUp({ status: 'failed', error: errorInfo(thrown) });
      return;
    }
    // It is not this process's to end.
    keeping?.journal.abandon();
    forget();
    if (!options.begun) windUp({ status: 'failed', error: errorInfo(thrown) });
    else end();
    options.begun?.(thrown);
  }

  /** Another process says something to the run. */
  function hear(heard: Heard): void {
    if (heard.kind === 'cancel') cancel(String(heard.body));
    else void reception().hear(heard);
  }

  function cancel(given = 'cancelled'): void {
    const reason = elided(given, TEXT_LIMITS.feedback);
    if (ended) return;
    if (actor) actor.send({ type: 'cancel', reason });
    // A run that was left is ended by its machine, which knows what it had come to.
    else if (options.begun) late ??= () => cancel(reason);
    else windUp({ status: 'cancelled', reason });
  }

  function suspend(): void {
    if (ended) return;
    if (keeping && actor && isTimed(actor)) publish({ type: 'run.suspended' });
    suspended = true;
    end();
    if (actor) stopPhases(actor);
    actor?.stop();
  }

  function snapshot(): RunSnapshot {
    const view = createRunView(pipeline.plan);
    for (let at = 1, record = knownAt(log, 0); record; record = knownAt(log, at++)) view.apply(record);
    return view.snapshot();
  }

  async function conclude(): Promise<RunOutcome<O>> {
    await over;
    const failure = await keeping?.close();
    return outcomeOf(resultOf(snapshot()) as RunResult<O>, log, { failure, suspended });
  }

  if (signal) followSignal(signal, cancel, over);
  const result = conclude();
  begin().catch(refuse);
  return new StartedRun<O>(log, {
    result,
    awaitOutputs: () => result.then(outputsOf),
    snapshot,
    inbox: () => reception().open(keeping?.journal.open()),
    decide: (about, given, how = {}) => reception().decide(about, given, how),
    answer: (item, reply, how = {}) => reception().answer(item, reply, how),
    cancel,
    suspend,
    actor: () => actor,
  });
}

// --- internal ---

function startedEvent({ plan }: Pick<Pipeline, 'plan'>, input: unknown): RunEvent {
  return { type: 'run.started', plan, fingerprint: fingerprint(plan), input, edition: EDITION };
}

/** How the phases end that have not, when the run does. */
function unfinished({ phases }: RunSnapshot, because: string): readonly RunEvent[] {
  return Object.entries(phases).flatMap(([phase, { status, attempts }]): readonly RunEvent[] => {
    if (ENDED.has(status)) return [];
    return [{ type: status === 'pending' && attempts === 0 ? 'phase.skipped' : 'phase.cancelled', phase, because }];
  });
}

const ENDED: ReadonlySet<PhaseStatus> = new Set(['approved', 'rejected', 'failed', 'skipped', 'cancelled']);

function followSignal(signal: AbortSignal, cancel: (reason: string) => void, over: Promise<void>): void {
  const stop = () => cancel(errorInfo(signal.reason).message);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  void over.then(() => signal.removeEventListener('abort', stop));
}
