/**
 * One run in this process, whether new or resumed: its actor, its records, and its end.
 *
 * @module
 */
import { createActor } from 'xstate';
import { processesOfRunAtRest } from '../actors/command/process-groups.ts';
import type { PipelineInput } from '../machines/coordinator/run-state.ts';
import { clockOf } from '../machines/phase/clock.ts';
import { setOuterQuota } from '../machines/phase/run-services.ts';
import { isTimed, setEventListener, setPorts, stopPhases } from '../machines/pipeline/run-state-registry.ts';
import { errorInfo, type PhasegateError } from '../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import { guardRedact } from '../model/events/guard-redact.ts';
import { redactSecrets } from '../model/events/redact.ts';
import { inheritedTags } from '../model/events/run-tags.ts';
import { elided, TEXT_LIMITS } from '../model/values/text-limits.ts';
import type { RunOutcome, RunResult, RunSnapshot } from '../projections/run/run-result.ts';
import { foldRun, resultOf } from '../projections/run/run-view.ts';
import { cancelLeft } from './child-run.ts';
import { bindChildRuns, createChildRuns, type ChildRuns, type SharedSettings } from './child-runs.ts';
import type { EngineOptions, PipelineActor } from './engine-options.ts';
import { eventsWithoutMachine } from './records/end-events.ts';
import { openInbox } from './exit-notice.ts';
import { followSignal } from './follow-signal.ts';
import { bindHumanWork, mayNeedPeople } from './inbox/human-work.ts';
import type { RunInbox } from './inbox/inbox.ts';
import { machineOf, portsOf } from './machine-of.ts';
import type { PeerMessage } from './records/persistence.ts';
import type { Wait } from './records/release-lease.ts';
import { append, close, detach, readableAt } from './records/record-log.ts';
import { StartedRun } from './run-handle.ts';
import { outcomeOf } from './run-outcome.ts';
import { outputsOf } from './run-unsuccessful-error.ts';
import type { Run } from './run.ts';
import { watchWaiting } from './inbox/suspend-waiting.ts';
import { safeInspector } from './safe-inspector.ts';

/** Starts a run and returns at once. */
export function runEngine<O>(options: EngineOptions): Run<O> {
  const { pipeline, log, persistence, inspect, clock, signal } = options;
  let actor: PipelineActor | undefined;
  let ended = false;
  let suspended = false;
  /** The wait of the run, if it was suspended for that. */
  let wait: Wait | undefined;
  /** True if this process stops before the run ends. */
  let letGo = false;
  let pendingCancel: (() => void) | undefined;
  let finish: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (finish = resolve));
  let inbox: RunInbox | undefined;
  let children: ChildRuns | undefined;
  let begun: PipelineInput | undefined;

  /** Creates the inbox on first use, as most runs never wait for a person. */
  function inboxNow(): RunInbox {
    inbox ??= openInbox({
      pipeline,
      log,
      clock: () => actor && clockOf(actor),
      listen: async () => persistence?.listen(),
      send: (command) => actor?.send(command),
      claim: persistence && ((item, body, by) => persistence.claim(item, body, by)),
    });
    return inbox;
  }

  /** Creates the registry of child runs on first use, as most runs start none. */
  function childrenNow(): ChildRuns {
    return (children ??= createChildRuns({
      plan: pipeline.plan,
      actor: () => actor,
      events: log.events,
      isLetGo: () => letGo,
      letGo: () => suspend(),
      flush: () => persistence?.journal.flush(),
      settings,
    }));
  }

  function settings(): SharedSettings {
    const { attended = false, memory = false, tags } = begun ?? {};
    const { shared, redact } = options;
    return { ...shared, within: waiting, redact, clock, attended, memory, tags: inheritedTags(tags) };
  }

  const waiting =
    persistence && (options.within || options.whileWaiting === 'suspend')
      ? watchWaiting({
          log,
          persistence,
          inbox: inboxNow,
          plan: () => (ended ? undefined : begun?.plan),
          children: () => children?.watched() ?? [],
          within: options.within,
          suspend(until) {
            if (ended) return;
            // Messages that are received from now on are not applied.
            wait = until;
            suspend();
          },
        })
      : undefined;
  if (waiting) persistence?.whenStored(() => waiting.look());
  const host = waiting?.host ?? persistence?.host;

  const redact = guardRedact(options.redact ?? redactSecrets);
  function publish(raw: RunEvent): void {
    if (ended) return;
    const event = redact(raw);
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

  /** Ends the run if its machine cannot: before the machine has started, or after it has failed. */
  function endWithoutMachine(last: Omit<EventOf<'run.ended'>, 'type'>): void {
    if (ended) return;
    for (const event of eventsWithoutMachine(pipeline, log.events.length === 0, snapshot, last)) publish(event);
  }

  /** Handles a failure of the machine itself, which is a bug: stops all work and reports the error in the result. */
  function failRun(error: unknown): void {
    if (actor) stopPhases(actor);
    endWithoutMachine({ status: 'failed', error: errorInfo(error, 'INTERNAL') });
  }

  /** Handles records that the store refuses: the run stops at its last stored record, and can be resumed there. */
  function stopUnsaved(error: PhasegateError): void {
    ended = true;
    letGo = true;
    if (actor) stopPhases(actor);
    actor?.stop();
    discardUnpublished();
    endWithoutMachine({ status: 'failed', error: errorInfo(error) });
  }

  /** Discards unpublished records, the end of the run included. Later events reach only the result of this process. */
  function discardUnpublished(): void {
    detach(log);
    ended = false;
  }

  async function begin(): Promise<void> {
    const beginning = options.begin();
    await persistence?.open(stopUnsaved, receive, beginning);
    const { input, prepare } = await beginning;
    if (ended) return;
    begun = input;
    const work = bindHumanWork(bindChildRuns(pipeline, childrenNow), (asking) => inboxNow().ask(asking));
    const made = createActor(machineOf(pipeline), {
      id: log.runId,
      input,
      ...(inspect && { inspect: safeInspector(inspect) }),
      ...(clock && { clock }),
    });
    setEventListener(made, publish);
    if (options.outer) setOuterQuota(made, options.outer, host);
    if (persistence || work !== pipeline.work) setPorts(made, portsOf(work, host));
    made.subscribe({ error: failRun });
    prepare?.(made);
    actor = made;
    actor.start();
    // If the run was cancelled before its actor started, the machine cancels it before any work begins.
    pendingCancel?.();
    if (log.events.some(mayNeedPeople)) inboxNow().update();
    // Answers that were posted before the run was resumed are applied first.
    if (options.onStarted)
      await inboxNow()
        .settled()
        .catch(() => undefined);
    options.onStarted?.();
  }

  function refuse(thrown: unknown): void {
    if (!options.onStarted && (!persistence || persistence.isOpen()))
      return endWithoutMachine({ status: 'failed', error: errorInfo(thrown) });
    // Another process may own the run, so this process must not end it in the store.
    persistence?.journal.abandon();
    discardUnpublished();
    if (!options.onStarted) endWithoutMachine({ status: 'failed', error: errorInfo(thrown) });
    else end();
    options.onStarted?.(thrown);
  }

  function receive(message: PeerMessage): void {
    if (message.kind === 'cancel') cancel(String(message.body));
    else void inboxNow().receive(message);
  }

  function cancel(given = 'cancelled'): void {
    const reason = elided(given, TEXT_LIMITS.feedback);
    if (ended) return;
    if (actor) actor.send({ type: 'cancel', reason });
    // A resumed run is cancelled by its machine once that has started, as only the machine knows the state of the phases.
    else if (options.onStarted) pendingCancel ??= () => cancel(reason);
    else endWithoutMachine({ status: 'cancelled', reason });
  }

  function suspend(): void {
    if (ended) return;
    if (persistence && actor && isTimed(actor)) publish({ type: 'run.suspended' });
    suspended = true;
    letGo = true;
    end();
    if (actor) stopPhases(actor);
    actor?.stop();
  }

  function snapshot(): RunSnapshot {
    const view = foldRun(pipeline.plan);
    for (let at = 1, record = readableAt(log, 0); record; record = readableAt(log, at++)) view.apply(record);
    return view.snapshot();
  }

  async function conclude(): Promise<RunOutcome<O>> {
    await over.then(() => children?.atRest()).then(() => processesOfRunAtRest(log.runId));
    const cancelAllLeft = () => cancelLeft(log.runId, log.events, settings());
    const failure = await persistence?.close(wait, options.onStarted && cancelAllLeft);
    return outcomeOf(resultOf(snapshot()) as RunResult<O>, log, { failure, suspended });
  }

  if (signal) followSignal(signal, cancel, over);
  const result = conclude();
  begin().catch(refuse);
  return new StartedRun<O>(log, {
    result,
    awaitOutputs: () => result.then(outputsOf),
    snapshot,
    inbox: () => [...inboxNow().open(persistence?.journal.open()), ...(children?.inbox() ?? [])],
    decide: (about, given, how = {}) => inboxNow().decide(about, given, how),
    answer: (item, reply, how = {}) => (children?.holderOf(item) ?? inboxNow()).answer(item, reply, how),
    cancel,
    suspend,
    actor: () => actor,
    children: childrenNow,
    watch: waiting,
  });
}
