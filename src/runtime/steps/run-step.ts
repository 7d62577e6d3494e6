/**
 * One step of a run without a process of its own: records and one act in, new records and outstanding work out.
 *
 * A step does no work of phases, and no I/O. It replays the records, applies the act at one moment, and ends when nothing follows any more.
 * So a host needs no live process for a run: it keeps records, has work done elsewhere, and takes a step for each fact about it.
 *
 * @module
 */
import { createActor } from 'xstate';
import type { PipelineInput } from '../../machines/coordinator/run-state.ts';
import { continueFrom } from '../../machines/pipeline/open-run.ts';
import {
  pipelineServicesOf,
  setEventListener,
  setPorts,
  stopPhases,
} from '../../machines/pipeline/run-state-registry.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import { guardRedact } from '../../model/events/guard-redact.ts';
import { redactSecrets } from '../../model/events/redact.ts';
import { foldRunTimes } from '../../model/events/run-times.ts';
import { elided, TEXT_LIMITS } from '../../model/values/text-limits.ts';
import type { AnswerOptions, Reply } from '../../projections/inbox/reply.ts';
import { createRunInbox, type Posted } from '../inbox/inbox.ts';
import { machineOf } from '../machine-of.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import { append, createRecordLog, recordAt } from '../records/record-log.ts';
import { prepareResume } from '../resume.ts';
import { createHeldTries, type HeldTry } from './held-tries.ts';
import { isKnown } from './known-reports.ts';
import {
  lateOf,
  remotePorts,
  tokenOf,
  type OutstandingWork,
  type Piece,
  type WorkFact,
  type WorkOutcome,
} from './outstanding-work.ts';
import { createStepClock } from './step-clock.ts';

export type { PipelineInput } from '../../machines/coordinator/run-state.ts';

/** An act upon a run. */
export type StepAct =
  /** The run begins. It has no records yet. */
  | { readonly type: 'begin'; readonly input: PipelineInput }
  /** Facts about outstanding work, and its outcome once it has ended. Facts about other work change nothing. */
  | {
      readonly type: 'facts';
      readonly token: string;
      readonly facts: readonly WorkFact[];
      readonly outcome?: WorkOutcome | undefined;
    }
  /** Somebody answers an item, and is told if the answer is refused. */
  | { readonly type: 'answer'; readonly item: string; readonly reply: Reply; readonly options: AnswerOptions }
  /** An answer was posted for the run. If it is invalid, a record says so. */
  | { readonly type: 'posted'; readonly message: Posted }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Nothing but time. */
  | { readonly type: 'tick' };

/** Options of {@link runStep}. */
export interface StepOptions {
  readonly pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>;
  readonly runId: string;
  /** All records of the run; none for a run that begins. */
  readonly records: readonly RunRecord[];
  /** The time of the step, and of its records. Milliseconds since 1970. */
  readonly now: number;
  /** Tries that have room in the limits of the run, or wait for it, after the step before. @default none */
  readonly tries?: readonly HeldTry[] | undefined;
  readonly act: StepAct;
}

/** The result of a step. */
export interface Step {
  /** New records, to be stored before any of the work begins. */
  readonly records: readonly RunRecord[];
  /** All work that the run waits for, begun before or now. Work that is missing here is no longer wanted. */
  readonly work: readonly OutstandingWork[];
  /** Tries that have room, or wait for it, for the next step. Work may begin those that are granted. */
  readonly tries: readonly HeldTry[];
  /** Time of the next step if nothing happens before, in milliseconds since 1970; `undefined` if time changes nothing. */
  readonly dueAt: number | undefined;
  /** True if the run has ended. */
  readonly isOver: boolean;
  /** True if the facts are about work that is not outstanding. */
  readonly isStale: boolean;
  /** The error of a refused answer. */
  readonly refusal?: PhasegateError | undefined;
}

/**
 * Takes one step.
 *
 * @throws PhasegateError `RUN_CHANGED`, `JOURNAL_DIVERGED` as `resumeRun` does; then the records are as before.
 */
export async function runStep({ pipeline, runId, records, now, tries = [], act }: StepOptions): Promise<Step> {
  const clock = createStepClock(now);
  const log = createRecordLog(runId, () => now);
  const pieces = new Map<string, Piece>();
  const redact = guardRedact(redactSecrets);
  const times = foldRunTimes();
  let isClosed = false;
  let failure: unknown;
  for (const { event, time } of records) {
    log.events.push(event);
    log.times.push(time);
    times.apply({ event, time });
  }

  const held = createHeldTries(
    () => pipelineServicesOf(actor)?.quota,
    (token) => token.slice(0, token.lastIndexOf(':')),
  );

  function isOver(): boolean {
    return log.events.at(-1)?.type === 'run.ended';
  }

  function publish(event: RunEvent): void {
    if (!isClosed && !isOver()) append(log, redact(event));
  }

  function result(rest: Pick<Step, 'isStale' | 'refusal'>): Step {
    const made = log.events.flatMap((_, index) => (index < records.length ? [] : (recordAt(log, index) ?? [])));
    const work = [...pieces].map(([phase, { type, context, progress, isBounded }]): OutstandingWork => {
      const token = tokenOf(phase, log.events);
      return { token, type, phase, context, progress, ...(isBounded && { isBounded }) };
    });
    if (isOver()) return { ...rest, records: made, work: [], tries: [], dueAt: undefined, isOver: true };
    return { ...rest, records: made, work, tries: held.list(), dueAt: clock.dueAt(), isOver: false };
  }

  const inbox = createRunInbox({
    pipeline,
    log,
    clock: () => (isOver() ? undefined : clock),
    send: (command) => isOver() || actor.send(command),
    claim: undefined,
    listen: () => Promise.resolve(),
  });
  if (isOver()) return result({ isStale: true, refusal: act.type === 'answer' ? await answer(act) : undefined });

  const { input, replayed } =
    act.type === 'begin'
      ? { input: act.input, replayed: undefined }
      : prepareResume(runId, pipeline, records, {}, 'resume');
  const actor = createActor(machineOf(pipeline), { id: runId, input, clock });
  setEventListener(actor, { publish });
  setPorts(actor, remotePorts(pieces));
  actor.subscribe({ error: (error) => (failure = error) });
  if (replayed) continueFrom(actor, replayed, { now, times, leftAt: now, next: () => undefined });
  actor.start();
  await settle();
  if (!isOver()) held.restore(tries);
  const { isStale = false, refusal } = isOver() ? {} : await apply();
  do await settle();
  while (!isOver() && held.releaseOthers(new Set([...pieces.keys()].map((phase) => tokenOf(phase, log.events)))));
  const step = result({ isStale, refusal });
  isClosed = true;
  inbox.close();
  if (!isOver()) stopPhases(actor);
  actor.stop();
  // A bug of a machine. The host keeps the records as they were.
  if (failure !== undefined) throw failure instanceof Error ? failure : new Error(errorInfo(failure).message);
  return step;

  /** Lets everything happen that follows by now. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      const count = log.events.length;
      await endOfTurn();
      inbox.update();
      quiet = clock.fireDue() || log.events.length > count ? 0 : quiet + 1;
    }
  }

  async function apply(): Promise<Partial<Pick<Step, 'isStale' | 'refusal'>>> {
    switch (act.type) {
      case 'facts':
        return { isStale: !takeFacts(act) };
      case 'answer':
        return { refusal: await answer(act) };
      case 'posted':
        await inbox.receive(act.message);
        return {};
      case 'cancel':
        actor.send({ type: 'cancel', reason: elided(act.reason, TEXT_LIMITS.feedback) });
        return {};
      case 'begin':
      case 'tick':
        return {};
    }
  }

  /** @returns False if the work is not outstanding. */
  function takeFacts({ token, facts, outcome }: Extract<StepAct, { readonly type: 'facts' }>): boolean {
    const [phase, piece] = [...pieces].find(([name]) => tokenOf(name, log.events) === token) ?? [];
    if (phase === undefined || !piece) {
      takeLate(facts);
      return false;
    }
    const since = Number(token.slice(phase.length + 1));
    for (const fact of facts) {
      // A report may have ended the work, such as one that spends a limit.
      if (pieces.get(phase) !== piece) return true;
      if (fact.type === 'read') void piece.context.inputs[fact.source];
      else if (fact.type === 'late') takeLate([fact]);
      else if (fact.type === 'report') {
        if (!isKnown(fact.report, log.events.slice(since), inbox.open())) piece.report(fact.report);
      } else if (fact.type !== 'child') held.take(token, phase, fact);
    }
    if (outcome && pieces.get(phase) === piece) piece.end(outcome);
    return true;
  }

  /** Counts usage that stopped work has reported. */
  function takeLate(facts: readonly WorkFact[]): void {
    for (const late of facts.flatMap((fact) => lateOf(fact) ?? [])) pipelineServicesOf(actor)?.stragglers?.tell(late);
  }

  async function answer({ item, reply, options }: Extract<StepAct, { readonly type: 'answer' }>) {
    try {
      await inbox.answer(item, reply, options);
      return undefined;
    } catch (error) {
      return PhasegateError.is(error) ? error : new PhasegateError('INTERNAL', errorInfo(error).message);
    }
  }
}

// --- internal ---

/** Turns of the event loop without a new event, after which nothing follows. Answers take a few. */
const QUIET_TURNS = 2;
