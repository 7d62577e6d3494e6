/**
 * What waits for people, as data.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { OnExpiry, Severity } from '../../model/plan/inbox-policy.ts';
import { contentHash } from '../../model/values/content-hash.ts';

export type { Severity } from '../../model/plan/inbox-policy.ts';

/** What waits: a phase, a limit that holds the run, or a person's part as task or reviewer. */
export type ItemKind = 'escalation' | 'limit' | 'task' | 'review';

/** One thing that waits for a person, or has waited. JSON. */
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
  /** The task, or the reviewer, that a person is; absent for escalations and limits. */
  readonly task?: string | undefined;
  readonly generation: number;
  readonly attempt: number;
  /** A code: why a person is asked. */
  readonly because: string;
  /** What goes round, in words, where a loop is why. */
  readonly loop?: string | undefined;
  /** The same in words, or what is asked. */
  readonly reason: string;
  /** What one has to know to answer it. */
  readonly description?: string | undefined;
  /** The only answers there are, where a task asks for one of them. */
  readonly choices?: readonly string[] | undefined;
  /** Whether the attempt has put out nothing, so that there is nothing to approve. @default false */
  readonly empty?: true | undefined;
  /** Has to be told with an answer, so that nobody answers what they have not seen. */
  readonly nonce: string;
  /** Who is asked. @default 'default' */
  readonly queue: string;
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** When whoever is asked is reminded, it becomes more urgent, and its time is over; absent once that was done. */
  readonly remindAt?: number | undefined;
  readonly raiseAt?: number | undefined;
  readonly expireAt?: number | undefined;
  /** What happens when its time is over. @default 'stay' */
  readonly onExpiry?: OnExpiry | undefined;
  /** Whether its time is over. @default false */
  readonly expired?: true | undefined;
  /** When something happens next if nobody answers, in milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  /** Milliseconds since 1970; absent while it is open. */
  readonly closedAt?: number | undefined;
  /** How it was closed: the decision in words, or why none was needed any more. */
  readonly outcome?: string | undefined;
  /** Who closed it, as far as known. */
  readonly who?: string | undefined;
}

/** The id of the item that a record opens. */
export function itemId({ runId, seq }: Pick<RunRecord, 'runId' | 'seq'>): string {
  return `${runId}:${seq}`;
}

/** The nonce of the item that a record opens: the same whenever it is asked for, and nobody's guess before. */
export function nonceOf({ runId, seq, time }: Pick<RunRecord, 'runId' | 'seq' | 'time'>): string {
  return contentHash([runId, seq, time]).slice(0, 12);
}
