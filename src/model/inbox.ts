/**
 * What waits for people, as data.
 *
 * @module
 */
import type { RunRecord } from './event.ts';
import { contentHash } from './plan.ts';

/** What waits: a phase, a limit that holds the run, or a person's part as task or reviewer. */
export type ItemKind = 'escalation' | 'limit' | 'task' | 'review';

/** How urgent it is. */
export type Severity = 'normal' | 'high' | 'urgent';

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
  /** The same in words, or what is asked. */
  readonly reason: string;
  /** Has to be told with an answer, so that nobody answers what they have not seen. */
  readonly nonce: string;
  /** Who is asked. @default 'default' */
  readonly queue: string;
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** When something happens if nobody answers, in milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  /** Milliseconds since 1970; absent while it is open. */
  readonly closedAt?: number | undefined;
  /** How it was closed: the decision in words, or why none was needed any more. */
  readonly outcome?: string | undefined;
}

/** The id of the item that a record opens. */
export function itemId({ runId, seq }: Pick<RunRecord, 'runId' | 'seq'>): string {
  return `${runId}:${seq}`;
}

/** The nonce of the item that a record opens: the same whenever it is asked for, and nobody's guess before. */
export function nonceOf({ runId, seq, time }: Pick<RunRecord, 'runId' | 'seq' | 'time'>): string {
  return contentHash([runId, seq, time]).slice(0, 12);
}
