/**
 * One run in this process, whether new or resumed: its actor, its records, and its end.
 *
 * @module
 */
import { processesOfRunAtRest } from '../actors/command/process-groups.ts';
import type { PipelineContext } from '../machines/pipeline/pipeline-context.ts';
import { isTimed, stopPhases } from '../machines/pipeline/run-state-registry.ts';
import { errorInfo, type PhasegateError } from '../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import { guardRedact } from '../model/events/guard-redact.ts';
import { redactSecrets, type Redact } from '../model/events/redact.ts';
import { inheritedTags } from '../model/events/run-tags.ts';
import type { Plan } from '../model/plan/plan.ts';
import { elided, TEXT_LIMITS } from '../model/values/text-limits.ts';
import type { RunOutcome, RunResult, RunSnapshot } from '../projections/run/run-result.ts';
import { resultOf } from '../projections/run/run-view.ts';
import { cancelLeft } from './child-run.ts';
import type { ChildRuns, SharedSettings } from './child-runs.ts';
import type { EngineOptions, PipelineActor } from './engine-options.ts';
import { eventsWithoutMachine } from './records/end-events.ts';
import { childrenFor, followSignal, inboxFor, waitOf, watchFor } from './engine-parts.ts';
import { mayNeedPeople } from './inbox/human-work.ts';
import type { RunInbox } from './inbox/inbox.ts';
import { createRunActor, type ActorOwner } from './run-actor.ts';
import type { Wait } from './records/release-lease.ts';
import { append, close, detach } from './records/record-log.ts';
import { StartedRun, type RunControls } from './run-handle.ts';
import { outcomeOf, snapshotOf } from './run-outcome.ts';
import type { Run } from './run.ts';
import type { WaitWatch } from './inbox/suspend-waiting.ts';

/** Starts a run and returns at once. */
export function runEngine<O>(options: EngineOptions): Run<O> {
  const engine = new RunEngine<O>(options);
  engine.start(options);
  return new StartedRun<O>(engine);
}

// --- internal ---

const REDACT_SECRETS = guardRedact(redactSecrets);

/** A run. A class, as functions of its own for all that a run can do would take 2 KB of each waiting run. */
class RunEngine<O> implements RunControls<O>, ActorOwner {
  readonly pipeline: EngineOptions['pipeline'];
  readonly log: EngineOptions['log'];
  readonly persistence: EngineOptions['persistence'];
  readonly watch: WaitWatch | undefined;
  actor: PipelineActor | undefined = undefined;
  isLetGo = false;
  readonly #shared: EngineOptions['shared'];
  readonly #redact: Redact;
  readonly #isResumed: boolean;
  #ended = false;
  /** True once the result is on its way. An end without the store may follow another one. */
  #isOver = false;
  #suspended = false;
  /** The wait of the run, if it was suspended for that. */
  #wait: Wait | undefined = undefined;
  #pendingCancel: string | undefined = undefined;
  #inbox: RunInbox | undefined = undefined;
  #children: ChildRuns | undefined = undefined;
  /** Forgets the signal of the caller. */
  #unfollow: (() => void) | undefined = undefined;
  #result: Promise<RunOutcome<O>> | undefined = undefined;
  /** Settles a result that was read before the end. */
  #settle: ((outcome: Promise<RunOutcome<O>>) => void) | undefined = undefined;

  constructor(options: EngineOptions) {
    const { pipeline, log, persistence, shared, onStarted } = options;
    this.pipeline = pipeline;
    this.log = log;
    this.persistence = persistence;
    this.#shared = shared;
    this.#redact = shared.redact ? guardRedact(shared.redact) : REDACT_SECRETS;
    this.#isResumed = onStarted !== undefined;
    this.watch = watchFor(this, options);
  }

  start(options: EngineOptions): void {
    if (options.signal) this.#unfollow = followSignal(options.signal, this);
    this.#begin(options).catch((thrown: unknown) => this.#refuse(thrown, options));
  }

  /** The promise is created when it is first read, or at the end. */
  get result(): Promise<RunOutcome<O>> {
    this.#result ??= new Promise((resolve) => (this.#settle = resolve));
    return this.#result;
  }

  get inbox(): RunInbox {
    return (this.#inbox ??= inboxFor(this));
  }

  get children(): ChildRuns {
    return (this.#children ??= childrenFor(this));
  }

  watchedChildren(): ReturnType<ChildRuns['watched']> {
    return this.#children?.watched() ?? [];
  }

  currentPlan(): Plan | undefined {
    return this.#ended ? undefined : this.#begun()?.plan;
  }

  settings(): SharedSettings {
    const { attended = false, memory = false, tags } = this.#begun() ?? {};
    return { ...this.#shared, within: this.watch, attended, memory, tags: inheritedTags(tags) };
  }

  snapshot(): RunSnapshot {
    return snapshotOf(this.log, this.pipeline.plan);
  }

  openItems(): ReturnType<Run['inbox']> {
    return [...this.inbox.open(this.persistence?.journal.open()), ...(this.#children?.inbox() ?? [])];
  }

  answer(...[item, reply, how = {}]: Parameters<Run['answer']>): Promise<void> {
    return (this.#children?.holderOf(item) ?? this.inbox).answer(item, reply, how);
  }

  cancel(given: unknown = 'cancelled'): void {
    const reason = elided(typeof given === 'string' ? given : errorInfo(given).message, TEXT_LIMITS.feedback);
    if (this.#ended) return;
    if (this.actor) this.actor.send({ type: 'cancel', reason });
    // A resumed run is cancelled by its machine once that has started, as only the machine knows the state of the phases.
    else if (this.#isResumed) this.#pendingCancel ??= reason;
    else this.#endWithoutMachine({ status: 'cancelled', reason });
  }

  waitNow(isHeldAbove: boolean): Wait | undefined {
    return this.#ended ? undefined : waitOf(this, this.#children?.live() ?? [], isHeldAbove);
  }

  suspend(wait?: Wait): void {
    if (this.#ended) return;
    this.#wait = wait ?? this.waitNow(false);
    if (this.persistence && this.actor && isTimed(this.actor)) this.publish({ type: 'run.suspended' });
    this.#suspended = true;
    this.isLetGo = true;
    this.#end();
    if (this.actor) stopPhases(this.actor);
    this.actor?.stop();
  }

  publish(raw: RunEvent): void {
    if (this.#ended) return;
    const event = this.#redact(raw);
    this.#ended = event.type === 'run.ended';
    append(this.log, event);
    this.persistence?.journal.write();
    if (this.#inbox || mayNeedPeople(event)) this.inbox.update();
    if (this.#ended) this.#end();
  }

  /** Handles a failure of the machine itself, which is a bug: stops all work and reports the error in the result. */
  error(thrown: unknown): void {
    if (this.actor) stopPhases(this.actor);
    this.#endWithoutMachine({ status: 'failed', error: errorInfo(thrown, 'INTERNAL') });
  }

  async #begin(options: EngineOptions): Promise<void> {
    const { onStarted } = options;
    const beginning = options.begin();
    await this.persistence?.open(
      (error) => this.#stopUnsaved(error),
      (message) => (message.kind === 'cancel' ? this.cancel(String(message.body)) : void this.inbox.receive(message)),
      beginning,
    );
    const { input, prepare } = await beginning;
    if (this.#ended) return;
    const actor = createRunActor(this, options, input);
    prepare?.(actor);
    this.actor = actor;
    actor.start();
    // If the run was cancelled before its actor started, the machine cancels it before any work begins.
    if (this.#pendingCancel !== undefined) this.cancel(this.#pendingCancel);
    if (this.log.events.some(mayNeedPeople)) this.inbox.update();
    // Answers that were posted before the run was resumed are applied first.
    if (onStarted) await this.inbox.settled().catch(() => undefined);
    onStarted?.();
  }

  #refuse(thrown: unknown, { onStarted }: EngineOptions): void {
    if (onStarted || (this.persistence && !this.persistence.isOpen())) {
      // Another process may own the run, so this process must not end it in the store.
      this.persistence?.journal.abandon();
      this.#discardUnpublished();
    }
    if (onStarted) this.#end();
    else this.#endWithoutMachine({ status: 'failed', error: errorInfo(thrown) });
    onStarted?.(thrown);
  }

  /** The plan and the settings of a run that has begun. */
  #begun(): PipelineContext | undefined {
    return this.actor?.getSnapshot().context;
  }

  /** Ends the run if its machine cannot: before the machine has started, or after it has failed. */
  #endWithoutMachine(last: Omit<EventOf<'run.ended'>, 'type'>): void {
    if (this.#ended) return;
    const isEmpty = this.log.events.length === 0;
    for (const event of eventsWithoutMachine(this.pipeline, isEmpty, () => this.snapshot(), last)) this.publish(event);
  }

  /** Handles records that the store refuses: the run stops at its last stored record, and can be resumed there. */
  #stopUnsaved(error: PhasegateError): void {
    this.#ended = true;
    this.isLetGo = true;
    if (this.actor) stopPhases(this.actor);
    this.actor?.stop();
    this.#discardUnpublished();
    this.#endWithoutMachine({ status: 'failed', error: errorInfo(error) });
  }

  /** Discards unpublished records, the end of the run included. Later events reach only the result of this process. */
  #discardUnpublished(): void {
    detach(this.log);
    this.#ended = false;
  }

  #end(): void {
    this.#ended = true;
    this.#inbox?.close();
    close(this.log);
    this.#unfollow?.();
    if (this.#isOver) return;
    this.#isOver = true;
    const outcome = this.#conclude();
    if (this.#settle) this.#settle(outcome);
    else this.#result = outcome;
  }

  async #conclude(): Promise<RunOutcome<O>> {
    // One step later, once all that this end is about is done.
    await Promise.resolve();
    await this.#children?.atRest();
    await processesOfRunAtRest(this.log.runId);
    const last = () => cancelLeft(this.log.runId, this.log.events, this.settings());
    const failure = await this.persistence?.close(this.#wait, this.#isResumed ? last : undefined);
    return outcomeOf(resultOf(this.snapshot()) as RunResult<O>, this.log, { failure, suspended: this.#suspended });
  }
}
