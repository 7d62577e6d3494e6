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
import { bindHumanWork, mayNeedPeople } from './inbox/human-work.ts';
import type { RunInbox } from './inbox/inbox.ts';
import { machineOf } from './machine-of.ts';
import type { PeerMessage, RunPersistence } from './records/persistence.ts';
import { append, close, detach, readableAt, type RecordLog } from './records/record-log.ts';
import { StartedRun } from './run-handle.ts';
import { outcomeOf } from './run-outcome.ts';
import { outputsOf } from './run-unsuccessful-error.ts';
import type { Run } from './run.ts';
import { safeInspector } from './safe-inspector.ts';

/** The actor of a run. */
export type PipelineActor = ActorRefFrom<typeof pipelineMachine>;

/** What a run is made of. */
export interface EngineOptions {
  readonly pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>;
  readonly log: RecordLog;
  /** What keeps its records; `undefined` where nothing does. */
  readonly persistence: RunPersistence | undefined;
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
  readonly onStarted?: ((error?: unknown) => void) | undefined;
}

/** Starts a run and returns at once. */
export function runEngine<O>(options: EngineOptions): Run<O> {
  const { pipeline, log, persistence, inspect, clock, signal } = options;
  let actor: PipelineActor | undefined;
  let ended = false;
  let suspended = false;
  let pendingCancel: (() => void) | undefined;
  let finish: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (finish = resolve));
  let inbox: RunInbox | undefined;

  /** Made when somebody is needed, as most runs need nobody. */
  function inboxNow(): RunInbox {
    inbox ??= openReception({
      pipeline,
      log,
      clock: () => actor && clockOf(actor),
      listen: async () => persistence?.listen(),
      tell: (command) => actor?.send(command),
      claim: persistence && ((item, body, by) => persistence.claim(item, body, by)),
    });
    return inbox;
  }

  const redact = guardRedact(options.redact ?? redactSecrets);

  function publish(said: RunEvent): void {
    if (ended) return;
    const event = redact(said);
    ended = event.type === 'run.ended';
    append(log, event);
    persistence?.journal.write();
    if (inbox || mayNeedPeople(event)) inboxNow().update();
    if (ended) end();
  }

  function end(): void {
    ended = true;
    inbox?.close();
    close(log);
    finish();
  }

  /** Ends the run where its machine cannot: before it was started, or after it broke. */
  function endWithoutMachine(last: Omit<EventOf<'run.ended'>, 'type'>): void {
    if (ended) return;
    if (log.events.length === 0) publish(startedEvent(pipeline, null));
    for (const event of unfinished(snapshot(), last.reason ?? `the run ${last.status}`)) publish(event);
    publish({ type: 'run.ended', ...last });
  }

  /** The machine itself has failed, which is a bug: what works is stopped, and the result says so. */
  function failRun(error: unknown): void {
    if (actor) stopPhases(actor);
    endWithoutMachine({ status: 'failed', error: errorInfo(error, 'INTERNAL') });
  }

  /** What cannot be kept does not happen: the run stops where it was last kept, and can be resumed from there. */
  function stopUnsaved(error: PhasegateError): void {
    ended = true;
    if (actor) {
      stopPhases(actor);
      actor.stop();
    }
    discardUnpublished();
    endWithoutMachine({ status: 'failed', error: errorInfo(error) });
  }

  /** Takes back what nobody has seen, the end of the run included. What follows is told by the result alone. */
  function discardUnpublished(): void {
    detach(log);
    ended = false;
  }

  async function begin(): Promise<void> {
    const beginning = options.begin();
    await persistence?.open(stopUnsaved, receive, beginning);
    const { input, prepare } = await beginning;
    if (ended) return;
    const work = bindHumanWork(pipeline.work, (asking) => inboxNow().ask(asking));
    const made = createActor(machineOf({ work }, persistence?.host), {
      id: log.runId,
      input: { ...input, quiet: !inspect },
      ...(inspect && { inspect: safeInspector(inspect) }),
      ...(clock && { clock }),
    });
    // An inspector sees events only, so then nothing may go around them.
    if (inspect) made.on('*', publish);
    else setEventListener(made, publish);
    made.subscribe({ error: failRun });
    prepare?.(made);
    actor = made;
    actor.start();
    // Who has cancelled it meanwhile wants nothing of it to begin.
    pendingCancel?.();
    if (log.events.some(mayNeedPeople)) inboxNow().update();
    // What was answered while nobody worked on the run is taken first.
    if (options.onStarted)
      await inboxNow()
        .settled()
        .catch(() => undefined);
    options.onStarted?.();
  }

  function refuse(thrown: unknown): void {
    if (!options.onStarted && (!persistence || persistence.isOpen())) {
      endWithoutMachine({ status: 'failed', error: errorInfo(thrown) });
      return;
    }
    // It is not this process's to end.
    persistence?.journal.abandon();
    discardUnpublished();
    if (!options.onStarted) endWithoutMachine({ status: 'failed', error: errorInfo(thrown) });
    else end();
    options.onStarted?.(thrown);
  }

  /** Another process says something to the run. */
  function receive(heard: PeerMessage): void {
    if (heard.kind === 'cancel') cancel(String(heard.body));
    else void inboxNow().receive(heard);
  }

  function cancel(given = 'cancelled'): void {
    const reason = elided(given, TEXT_LIMITS.feedback);
    if (ended) return;
    if (actor) actor.send({ type: 'cancel', reason });
    // A run that was left is ended by its machine, which knows what it had come to.
    else if (options.onStarted) pendingCancel ??= () => cancel(reason);
    else endWithoutMachine({ status: 'cancelled', reason });
  }

  function suspend(): void {
    if (ended) return;
    if (persistence && actor && isTimed(actor)) publish({ type: 'run.suspended' });
    suspended = true;
    end();
    if (actor) stopPhases(actor);
    actor?.stop();
  }

  function snapshot(): RunSnapshot {
    const view = createRunView(pipeline.plan);
    for (let at = 1, record = readableAt(log, 0); record; record = readableAt(log, at++)) view.apply(record);
    return view.snapshot();
  }

  async function conclude(): Promise<RunOutcome<O>> {
    await over;
    const failure = await persistence?.close();
    return outcomeOf(resultOf(snapshot()) as RunResult<O>, log, { failure, suspended });
  }

  if (signal) followSignal(signal, cancel, over);
  const result = conclude();
  begin().catch(refuse);
  return new StartedRun<O>(log, {
    result,
    awaitOutputs: () => result.then(outputsOf),
    snapshot,
    inbox: () => inboxNow().open(persistence?.journal.open()),
    decide: (about, given, how = {}) => inboxNow().decide(about, given, how),
    answer: (item, reply, how = {}) => inboxNow().answer(item, reply, how),
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
