/**
 * Where a run meets people: it asks, and takes their answers, each once.
 *
 * What was asked and answered is read from the records of the run, so it is the same after a restart: an open question is
 * waited for and not asked again, and an answer that was given before the work could use it is used.
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
import { keepDeadlines } from './deadlines.ts';
import { schemasOf, wordsOf, type HumanRequest } from './human-work.ts';
import { createQuestions } from './open-questions.ts';
import {
  acceptReply,
  answerIn,
  answerInvalid,
  bodyOf,
  checkNonce,
  validateDecision,
  type AcceptedReply,
} from './validate-reply.ts';

/** Where a run meets people. */
export interface RunInbox {
  /** Resolves with the answer of a person. */
  ask(asking: HumanRequest): Promise<unknown>;
  /** Takes note of what is in the log. */
  update(): void;
  /** Items that are open. @param kept Those that are as far as the run is kept; others are left out. @default all */
  open(kept?: readonly InboxItem[]): readonly InboxItem[];
  /** Decides on a phase or a limit. Rejects with a PhasegateError where that makes no sense. */
  decide(about: string, given: Decision | string, options: AnswerOptions): Promise<void>;
  /** Answers an item. Rejects with a PhasegateError where that makes no sense. */
  answer(id: string, reply: Reply, options: AnswerOptions): Promise<void>;
  /** Takes an answer that another process has left. What is no good is refused in the records. */
  receive(message: Posted): Promise<void>;
  /** Resolves when every answer that other processes have left by now has been taken. */
  settled(): Promise<void>;
  /** Nothing happens any more by the clock. */
  close(): void;
}

/** An answer that another process has left. */
export interface Posted extends AnswerBody {
  readonly item: string;
  readonly by: string;
}

/** What a reception is made of. */
export interface RunInboxOptions {
  readonly pipeline: Pick<Pipeline, 'plan' | 'work'>;
  readonly log: RecordLog;
  /** The clock of the run, once it has one. */
  readonly clock: () => Clock | undefined;
  /** Tells the pipeline machine something. */
  readonly tell: (command: PipelineCommand | TaskReport) => void;
  /** Has an answer take the only place that there is for it among other processes; absent where the run is not kept. */
  readonly claim: Claim | undefined;
  /** Takes what other processes have left by now. */
  readonly listen: () => Promise<void>;
}

/** Opens the reception of a run. Nothing is done before something waits for a person. */
export function createRunInbox({ pipeline, log, clock, tell, claim, listen }: RunInboxOptions): RunInbox {
  const { plan, work } = pipeline;
  const closed = new Map<string, InboxItem>();
  /** Items whose answer ends the run: that is in the records when what works is at rest. */
  const taken = new Set<string>();
  let inbox: InboxFold | undefined;
  let at = 0;
  const questions = createQuestions(() => current().open());
  const hearing = new Set<Promise<void>>();
  const claims = createClaims(claim);
  const deadlines = keepDeadlines({
    clock,
    now: log.now,
    open: () => current().open(),
    tell,
    claims,
    settled,
  });

  async function settled(): Promise<void> {
    await listen();
    await Promise.all(hearing);
  }

  function refresh(): void {
    current();
    deadlines.watch();
  }

  /** The inbox as it is now. */
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

  /** Has the machines do what was said. */
  function take(item: InboxItem, reply: AcceptedReply, who: string | undefined): void {
    const { kind, about, task, generation, attempt } = item;
    const signed = who === undefined ? {} : { who };
    if (reply.type === 'abort') tell({ type: 'cancel', reason: reply.reason ?? 'a person has ended the run' });
    else if (task !== undefined) {
      const reviewer = kind === 'review';
      const answer = answerIn(reply);
      tell({ type: 'task.answered', phase: about, generation, attempt, task, reviewer, answer, ...signed });
    } else if (reply.type === 'decide') tell({ ...reply, about, ...signed });
    else if (reply.type === 'skip') tell({ type: 'skip', about, because: reply.reason ?? SKIPPED, ...signed });
  }

  /** Does what was said, if no other answer is first. */
  function give(id: string, reply: AcceptedReply, options: AnswerOptions): Promise<void> {
    const { by } = options;
    return claims.take(id, bodyOf(reply, options), by, () => {
      take(find(id, options), reply, by);
      if (isOpen(id)) taken.add(id);
    });
  }

  /** The reply as its schemas return it. @throws PhasegateError `ANSWER_INVALID` where one refuses it. */
  async function prepared(item: InboxItem, given: unknown): Promise<AcceptedReply> {
    const reply = acceptReply(plan, item, given);
    if (reply.type === 'value' && item.task !== undefined) {
      // What is put out is validated again as the output of the task: what a schema makes of it is made once, there.
      await passes(item, item.task, reply.value);
    }
    if (reply.type !== 'decide' || !reply.outputs) return reply;
    const outputs = byName();
    for (const [task, value] of Object.entries(reply.outputs)) outputs[task] = await passes(item, task, value);
    return { ...reply, outputs };
  }

  /** @returns What the last schema makes of a value. */
  async function passes(item: InboxItem, task: string, value: unknown): Promise<unknown> {
    let last = value;
    for (const schema of schemasOf(work, item.about, task)) {
      // One after the other: the first that refuses it says why.
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
        tell({ type: 'task.asked', phase, generation, attempt, task, reviewer, ...wordsOf(question) }),
      );
    },
    update: refresh,
    settled,
    close: () => deadlines.stop(),
    open: (kept) => (kept ? kept.filter(({ id }) => isOpen(id)) : openNow()),
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
      const done = applyPosted(message).finally(() => hearing.delete(done));
      hearing.add(done);
      return done;
    },
  };

  async function applyPosted({ item: id, reply, nonce, by }: Posted): Promise<void> {
    // What this process has said itself is heard as well.
    await claims.settled(id);
    const item = openNow().find((one) => one.id === id);
    if (!item) return;
    try {
      checkNonce(item, nonce);
      const accepted = await prepared(item, reply);
      take(find(id, {}), accepted, by === '' ? undefined : by);
    } catch (error) {
      // It has taken the place of every other answer, so the item is opened anew.
      const reason = PhasegateError.is(error) ? error.message.replace(/\n[^]*$/u, '') : String(error);
      if (!isOpen(id)) return;
      tell({ type: 'note', event: { type: 'item.changed', item: item.seq, change: 'refused', reason, who: by } });
    }
  }

  function isOpen(id: string): boolean {
    return openNow().some((item) => item.id === id);
  }
}

// --- internal ---

const SKIPPED = 'a person has skipped it';
