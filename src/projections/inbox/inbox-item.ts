/**
 * Items of the inbox: questions that wait for people, as data.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { OnExpiry, Severity } from '../../model/plan/inbox-policy.ts';
import { contentHash } from '../../model/values/content-hash.ts';

export type { Severity } from '../../model/plan/inbox-policy.ts';

/** The kinds of items: an escalated phase, a limit that holds the run, or a person who is a task or a reviewer. */
export type ItemKind = 'escalation' | 'limit' | 'task' | 'review';

/** A question that waits for a person, or has waited. JSON. */
export interface InboxItem {
  /** The run and the record that opened it: `<runId>:<seq>`. */
  readonly id: string;
  readonly runId: string;
  /** The record that opened it. */
  readonly seq: number;
  readonly pipeline: string;
  readonly kind: ItemKind;
  /** The phase, or the limit, that waits. */
  readonly about: string;
  /** The task, or the reviewer, that the person is; absent for escalations and limits. */
  readonly task?: string | undefined;
  readonly generation: number;
  readonly attempt: number;
  /** The code of the reason why a person is asked. */
  readonly because: string;
  /** The loop in words, if a loop is the reason. */
  readonly loop?: string | undefined;
  /** The reason in words, or the question. */
  readonly reason: string;
  /** Background that a person needs to answer. */
  readonly description?: string | undefined;
  /** The only allowed answers, if a task limits them. */
  readonly choices?: readonly string[] | undefined;
  /** The reason why the run refused the latest answer; absent if it has refused none. */
  readonly refusal?: string | undefined;
  /** True if the attempt has no outputs, so that there is nothing to approve. @default false */
  readonly empty?: true | undefined;
  /** Must be passed with an answer, so that nobody answers a question that they have not seen. */
  readonly nonce: string;
  /** The queue of people who are asked. @default 'default' */
  readonly queue: string;
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** Times of the reminder, the rise in urgency, and the expiry; each absent once it has passed. */
  readonly remindAt?: number | undefined;
  readonly raiseAt?: number | undefined;
  readonly expireAt?: number | undefined;
  /** The action on expiry. @default 'stay' */
  readonly onExpiry?: OnExpiry | undefined;
  /** True after its expiry. @default false */
  readonly expired?: true | undefined;
  /** The time of the next of these, if nobody answers, in milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  /** Milliseconds since 1970; absent while it is open. */
  readonly closedAt?: number | undefined;
  /** The outcome: the decision in words, or the reason why none was needed. */
  readonly outcome?: string | undefined;
  /** The person who closed it, if known. */
  readonly who?: string | undefined;
}

/** Returns the id of the item that a record opens. */
export function itemId({ runId, seq }: Pick<RunRecord, 'runId' | 'seq'>): string {
  return `${runId}:${seq}`;
}

/** Returns the nonce of the item that a record opens. It is always the same, and cannot be guessed before. */
export function nonceOf({ runId, seq, time }: Pick<RunRecord, 'runId' | 'seq' | 'time'>): string {
  return contentHash([runId, seq, time]).slice(0, 12);
}
