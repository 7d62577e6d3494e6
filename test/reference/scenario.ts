/**
 * A run as data: the pipeline, the script of every worker, and the answers of people.
 *
 * It drives both the reference and the real runtime, without other inputs. It is JSON.
 *
 * @module
 */
import type { GatePolicy, InboxPolicy, Issue, Limits, PriorFinding } from '../../src/index.ts';

/** The act of a task when it is called. */
export type TaskAct =
  | { readonly do: 'put'; readonly value: number }
  | { readonly do: 'throw' }
  | { readonly do: 'rework'; readonly phase: string; readonly feedback: string };

/** An issue: its name, and optionally the phase that has to correct it. */
export interface IssueAct {
  /** Its name. An issue whose name begins with `w` has no `id`, so its text identifies it. */
  readonly name: string;
  readonly severity: Issue['severity'];
  readonly phase?: string;
  /** The same text in another spelling. */
  readonly loud?: true;
}

/** Parts of a decision in addition to the decision itself. */
export interface Remarks {
  readonly issues?: readonly IssueAct[];
  /** The status of earlier findings, by the names of their issues. */
  readonly priors?: Readonly<Record<string, PriorFinding['status']>>;
}

/** Outputs that replace those of the attempt, by task. */
export type Edits = Readonly<Record<string, number>>;

/** The act of a reviewer when it is called. Only a person can give outputs. */
export type ReviewAct =
  | (Remarks & { readonly do: 'approve'; readonly score?: number; readonly outputs?: Edits })
  | (Remarks & {
      readonly do: 'retry';
      readonly feedback: string;
      readonly score?: number;
      readonly confidence?: number;
    })
  | (Remarks & {
      readonly do: 'rewind';
      readonly phase: string;
      readonly feedback: string;
      readonly confidence?: number;
      /** Given as text without remarks; otherwise code returns it. */
      readonly words?: true;
    })
  | (Remarks & { readonly do: 'reject' })
  | (Remarks & { readonly do: 'escalate' })
  | { readonly do: 'babble' }
  /** Code that returns no decision. */
  | { readonly do: 'malformed' }
  /** An error; `lasts` if no retry helps, `waits` if it asks for a wait before the next try. */
  | { readonly do: 'throw'; readonly lasts?: true; readonly waits?: number };

/** The act of a check when it is called. */
export type CheckAct = { readonly do: 'pass' } | { readonly do: 'fail'; readonly says: string };

/** The decision of a person. */
export type PersonAct =
  | { readonly do: 'approve'; readonly outputs?: Edits }
  | { readonly do: 'reject' }
  | { readonly do: 'skip' }
  /** Ends the run. */
  | { readonly do: 'abort' }
  /** Assigns the nth open issue, by name, to another phase; if there is none, retries the phase. */
  | { readonly do: 'reclassify'; readonly nth: number; readonly phase: string }
  | { readonly do: 'retry'; readonly feedback: string; readonly issues?: readonly IssueAct[] }
  | { readonly do: 'rewind'; readonly phase: string; readonly feedback: string; readonly issues?: readonly IssueAct[] };

/** One call: its duration, its act, and its reported usage. */
export type Call<Act> = Act & { readonly delay?: number; readonly tokens?: number };

/**
 * A task. `asks` are ancestors whose outputs it reads, in addition to the predecessors of its phase. `parts` are
 * tasks of ancestors whose outputs it reads, by the name of the ancestor. Without `parts` it reads all or none of
 * them, and all count as read.
 */
export interface TaskSpec {
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  readonly name: string;
  readonly after: readonly string[];
  readonly asks: readonly string[];
  readonly tries: number;
  /** Its estimate in tokens, true or not. */
  readonly estimate?: number;
  /** The policy of the question, if a person is the task. The calls are then the answers, one for each question. */
  readonly asked?: InboxPolicy;
  readonly calls: readonly Call<TaskAct>[];
}

export interface ReviewerSpec {
  readonly name: string;
  /** The same of a reviewer. */
  readonly estimate?: number;
  readonly asked?: InboxPolicy;
  readonly calls: readonly Call<ReviewAct>[];
}

export interface CheckSpec {
  readonly name: string;
  /** True if the check runs before the tasks as well. */
  readonly baseline?: boolean;
  readonly calls: readonly Call<CheckAct>[];
}

export interface GateSpec extends Pick<
  GatePolicy,
  | 'maxRetries'
  | 'maxPredecessorRetries'
  | 'loopAfter'
  | 'onExhausted'
  | 'onUnrecognised'
  | 'onInvalidTarget'
  | 'maxReviewErrors'
  | 'invalidate'
  | 'regate'
  | 'inbox'
> {
  readonly rewindTo?: 'predecessors' | 'ancestors' | readonly string[];
  readonly quorum?: number;
  readonly reviewers: readonly ReviewerSpec[];
  readonly checks: readonly CheckSpec[];
}

export interface PhaseSpec {
  readonly name: string;
  readonly after: readonly string[];
  readonly mode: 'dependencies' | 'sequential' | 'parallel';
  readonly tasks: readonly TaskSpec[];
  readonly gate: GateSpec | null;
  /** Decisions of a person for the first, second, ... wait of this phase; then approval. */
  readonly people: readonly Call<PersonAct>[];
}

export interface Scenario {
  /** Determines every delay that is not given. */
  readonly seed: number;
  readonly phases: readonly PhaseSpec[];
  readonly concurrency: number | 'unlimited';
  readonly onFailure: 'continue' | 'halt';
  readonly onLimit: 'stop' | 'escalate';
  readonly limits: Limits;
  readonly attended: boolean;
  /** The policy of questions about limits, and about phases whose gate has none. */
  readonly inbox?: InboxPolicy;
  /** True if a person lifts limits that hold the run; otherwise the person rejects. */
  readonly lifts: boolean;
  /** The time at which the run is cancelled from outside, in virtual milliseconds. */
  readonly cancelAt?: number;
}

/**
 * Milliseconds before a task is retried, and before a review is repeated, with the maximum that a reviewer can
 * request.
 */
export const TRY_BACKOFF = 1_000_003;
export const REVIEW_BACKOFF = 2_000_029;
export const LONGEST_REVIEW_BACKOFF = 5_000_081;

/** Returns the nth call of a worker. After the end of the script every call succeeds. */
export function callOf<Act extends { readonly do: string }>(
  calls: readonly Call<Act>[],
  nth: number,
  well: Call<Act>,
): Call<Act> {
  return calls[nth] ?? well;
}

/** Returns the text of an issue. */
export function wordsOf({ name, loud }: IssueAct): string {
  return loud ? `  ${name.toUpperCase()}: is -- WRONG` : `${name} is wrong.`;
}

/**
 * Returns the duration of the nth call of a worker. It is long and odd enough that no two timers ever fire together.
 */
export function delayOf(seed: number, worker: string, nth: number): number {
  let hash = 2166136261 ^ seed;
  for (const char of `${worker}#${nth}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  const number = (hash ^ (hash >>> 15)) >>> 0;
  // Checks take at most an hour.
  return 1 + (worker.includes('!') ? number % 3_000_000 : number);
}
