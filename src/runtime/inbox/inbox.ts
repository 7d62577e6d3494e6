/**
 * The inbox of one run: it asks people and applies each answer once.
 *
 * Questions and answers are read from the records of the run, so they survive a restart. An open question is not asked again. An
 * answer that came before the work could use it is not lost.
 *
 * @module
 */
import type { Clock } from '../../machines/phase/clock.ts';
import type { PipelineCommand } from '../../machines/pipeline/pipeline.machine.ts';
import type { Decision } from '../../model/decision/decision.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord, TaskReport } from '../../model/events/event.ts';
import { byName } from '../../model/values/by-name.ts';
import { check } from '../../model/values/standard-schema.ts';
import { foldInbox, type InboxFold } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { AnswerBody, AnswerOptions, Reply } from '../../projections/inbox/reply.ts';
import { answered, itemUnknown } from '../../store/refusals.ts';
import { recordAt, type RecordLog } from '../records/record-log.ts';
import { createClaims, type Claim } from './answer-claims.ts';
import { createDeadlines } from './deadlines.ts';
import { questionFields, schemasOf, type HumanRequest } from './human-work.ts';
import { createQuestions } from './open-questions.ts';
import {
  acceptReply,
  answerIn,
  answerInvalid,
  bodyOf,
  checkNonce,
  problemIn,
  validateDecision,
  type AcceptedReply,
} from './validate-reply.ts';

/** The inbox of one run. */
export interface RunInbox {
  /** Asks a person. Resolves with the answer. */
  ask(asking: HumanRequest): Promise<unknown>;
  /** Reads the new records of the log. */
  update(): void;
  /** Open items. @param stored The open items as stored; others are left out. @default all */
  open(stored?: readonly InboxItem[]): readonly InboxItem[];
  /** Decides on a phase or a limit. Rejects with a PhasegateError if the decision is invalid. */
  decide(about: string, given: Decision | string, options: AnswerOptions): Promise<void>;
  /** Answers an item. Rejects with a PhasegateError if the answer is invalid. */
  answer(id: string, reply: Reply, options: AnswerOptions): Promise<void>;
  /** Applies an answer that another process has posted. An invalid answer is recorded as refused. */
  receive(message: Posted): Promise<void>;
  /** Resolves when every answer that other processes have posted so far is applied. */
  settled(): Promise<void>;
  /** True if no received answer is still to be applied. */
  isSettled(): boolean;
  /** Stops all deadlines. */
  close(): void;
}

/** An answer that another process has posted. The host may have refused it. */
export interface Posted extends AnswerBody {
  readonly item: string;
  readonly by: string;
  readonly refusal?: PhasegateError | undefined;
}

/** Dependencies of an inbox. */
export interface RunInboxOptions {
  readonly pipeline: Pick<Pipeline, 'plan' | 'work'>;
  readonly log: RecordLog;
  /** The clock of the run; `undefined` until the run has one. */
  readonly clock: () => Clock | undefined;
  /** Sends a command or a report to the pipeline machine. */
  readonly send: (command: PipelineCommand | TaskReport) => void;
  /** Claims the only place for an answer among all processes; absent for a run without a store. */
  readonly claim: Claim | undefined;
  /** Receives the messages that other processes have posted so far. */
  readonly listen: () => Promise<void>;
}

/** Creates the inbox of a run. It does nothing before an item opens. */
export function createRunInbox({ pipeline, log, clock, send, claim, listen }: RunInboxOptions): RunInbox {
  const { plan, work } = pipeline;
  const closed = new Map<string, InboxItem>();
  /** Items whose answer ends the run. The record of that end follows only after all work has stopped. */
  const taken = new Set<string>();
  let inbox: InboxFold | undefined;
  let at = 0;
  const questions = createQuestions(() => current().open());
  const receiving = new Set<Promise<void>>();
  const claims = createClaims(claim);
  const deadlines = createDeadlines({
    clock,
    now: log.now,
    open: () => current().open(),
    send,
    claims,
    settled,
  });

  async function settled(): Promise<void> {
    await listen();
    await Promise.all(receiving);
  }

  /** The inbox, brought up to date with the log. */
  function current(): InboxFold {
    inbox ??= foldInbox();
    for (let record = recordAt(log, at); record; record = recordAt(log, at)) {
      at += 1;
      fold(inbox, record);
    }
    return inbox;
  }

  function fold(items: InboxFold, record: RunRecord): void {
    const changed = items.apply(record);
    for (const item of changed) if (item.closedAt !== undefined) closed.set(item.id, item);
    questions.note(record.event, changed);
  }

  function openNow(): readonly InboxItem[] {
    return current()
      .open()
      .filter(({ id }) => !taken.has(id));
  }

  function find(id: string, { nonce }: AnswerOptions): InboxItem {
    const item = openNow().find((one) => one.id === id);
    if (!item) {
      const outcome = closed.get(id)?.outcome;
      if (outcome === undefined && !taken.has(id)) throw itemUnknown('answer', log.runId, id);
      throw answered(id, outcome);
    }
    checkNonce(item, nonce);
    return item;
  }

  /** Sends the answer to the machine as a command or a report. */
  function take(item: InboxItem, reply: AcceptedReply, who: string | undefined): void {
    const { kind, about, task, generation, attempt } = item;
    const signed = who === undefined ? {} : { who };
    if (reply.type === 'abort') send({ type: 'cancel', reason: reply.reason ?? 'a person has ended the run' });
    else if (task !== undefined) {
      const reviewer = kind === 'review';
      const answer = answerIn(reply);
      send({ type: 'task.answered', phase: about, generation, attempt, task, reviewer, answer, ...signed });
    } else if (reply.type === 'decide') send({ ...reply, about, ...signed });
    else if (reply.type === 'skip') send({ type: 'skip', about, because: reply.reason ?? SKIPPED, ...signed });
  }

  /** Claims the place for an answer, then applies it. */
  function give(id: string, reply: AcceptedReply, options: AnswerOptions): Promise<void> {
    const { by } = options;
    return claims.take(id, bodyOf(reply, options), by, () => {
      take(find(id, options), reply, by);
      if (isOpen(id)) taken.add(id);
    });
  }

  /** The reply with its values as their schemas return them. @throws PhasegateError `ANSWER_INVALID` if a schema refuses one. */
  async function prepared(item: InboxItem, given: unknown): Promise<AcceptedReply> {
    const reply = acceptReply(plan, item, given);
    if (reply.type === 'value' && item.task !== undefined) {
      // Only checks the value, as the task validates it again as its output. A schema must transform it once only.
      await passes(item, item.task, reply.value);
    }
    if (reply.type !== 'decide' || !reply.outputs) return reply;
    const outputs = byName();
    for (const [task, value] of Object.entries(reply.outputs)) outputs[task] = await passes(item, task, value);
    return { ...reply, outputs };
  }

  /** @returns The value as the last schema returns it. */
  async function passes(item: InboxItem, task: string, value: unknown): Promise<unknown> {
    let last = value;
    for (const schema of schemasOf(work, item.about, task)) {
      // Runs the schemas in order, as the first one that refuses the value gives the reason.
      const checked = await check(schema, value);
      if (!checked.ok)
        throw answerInvalid(item, `the schema of "${task}" refuses it:\n  ${checked.refusal.lines.join('\n  ')}`);
      last = checked.value;
    }
    return last;
  }

  return {
    ask(asking) {
      const { question, reviewer, context } = asking;
      const { phase, task, generation, attempt } = context;
      current();
      return questions.wait(asking, () =>
        send({ type: 'task.asked', phase, generation, attempt, task, reviewer, ...questionFields(question) }),
      );
    },
    update: () => deadlines.watch(),
    settled,
    isSettled: () => receiving.size === 0,
    close: () => deadlines.stop(),
    open: (stored) => (stored ? stored.filter(({ id }) => isOpen(id)) : openNow()),
    async decide(about, given, options) {
      const { item, decision } = validateDecision(plan, openNow(), about, given);
      checkNonce(item, options.nonce);
      await give(item.id, { type: 'decide', decision }, options);
    },
    async answer(id, reply, options) {
      const item = find(id, options);
      const accepted = await prepared(item, reply);
      find(id, options);
      await give(id, accepted, options);
    },
    receive(message) {
      const done = applyPosted(message).finally(() => receiving.delete(done));
      receiving.add(done);
      return done;
    },
  };

  async function applyPosted({ item: id, reply, nonce, by, refusal }: Posted): Promise<void> {
    // The store also returns answers that this process has posted itself.
    await claims.settled(id);
    const item = openNow().find((one) => one.id === id);
    if (!item) return;
    try {
      if (refusal) throw refusal;
      checkNonce(item, nonce);
      const accepted = await prepared(item, reply);
      take(find(id, {}), accepted, by === '' ? undefined : by);
    } catch (error) {
      // The answer has taken the only place for one, so recording it as refused opens the item again.
      // Why: docs/decisions/people.md#why-does-a-wrong-answer-open-its-item-again
      const reason = PhasegateError.is(error) ? problemIn(error) : String(error);
      if (!isOpen(id)) return;
      send({ type: 'note', event: { type: 'item.changed', item: item.seq, change: 'refused', reason, who: by } });
    }
  }

  function isOpen(id: string): boolean {
    return openNow().some((item) => item.id === id);
  }
}

// --- internal ---

const SKIPPED = 'a person has skipped it';
