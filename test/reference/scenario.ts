/**
 * A run as data: the pipeline, what every worker does each time it is called, and what people answer.
 *
 * The reference and the real runtime are both driven by this and nothing else. It is JSON.
 *
 * @module
 */
import type { GatePolicy, InboxPolicy, Issue, Limits, PriorFinding } from '../../src/index.ts';

/** What a task does when it is called. */
export type TaskAct =
  | { readonly do: 'put'; readonly value: number }
  | { readonly do: 'throw' }
  | { readonly do: 'rework'; readonly phase: string; readonly feedback: string };

/** An issue: its name, and what it may say of the phase that has to correct it. */
export interface IssueAct {
  /** One that begins with `w` comes without an `id`: its words name it. */
  readonly name: string;
  readonly severity: Issue['severity'];
  readonly phase?: string;
  /** The same words, written otherwise. */
  readonly loud?: true;
}

/** What a decision says beside what it decides. */
export interface Remarks {
  readonly issues?: readonly IssueAct[];
  /** What became of earlier findings, by the names of their issues. */
  readonly priors?: Readonly<Record<string, PriorFinding['status']>>;
}

/** Outputs that take the place of those of the attempt, by task. */
export type Edits = Readonly<Record<string, number>>;

/** What a reviewer answers when it is called. Only a person can bring outputs. */
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
      /** Said as text, without any remark; else code decides so. */
      readonly words?: true;
    })
  | (Remarks & { readonly do: 'reject' })
  | (Remarks & { readonly do: 'escalate' })
  | { readonly do: 'babble' }
  /** Code that makes no decision. */
  | { readonly do: 'malformed' }
  /** An error; `lasts` where it says that no other try helps, `waits` where it says how long the next should wait. */
  | { readonly do: 'throw'; readonly lasts?: true; readonly waits?: number };

/** What a check answers when it is called. */
export type CheckAct = { readonly do: 'pass' } | { readonly do: 'fail'; readonly says: string };

/** What a person decides. */
export type PersonAct =
  | { readonly do: 'approve'; readonly outputs?: Edits }
  | { readonly do: 'reject' }
  | { readonly do: 'skip' }
  /** Ends the run. */
  | { readonly do: 'abort' }
  /** Lays the nth open issue, by name, at another phase; where there is none, has the phase tried again. */
  | { readonly do: 'reclassify'; readonly nth: number; readonly phase: string }
  | { readonly do: 'retry'; readonly feedback: string; readonly issues?: readonly IssueAct[] }
  | { readonly do: 'rewind'; readonly phase: string; readonly feedback: string; readonly issues?: readonly IssueAct[] };

/** One call: how long it takes, what comes out, and what it says it used. */
export type Call<Act> = Act & { readonly delay?: number; readonly tokens?: number };

/**
 * A task: `asks` are ancestors whose outputs it reads, beside those its phase comes after. `parts` are tasks of ancestors whose outputs it
 * reads, by the name of the ancestor; without it, it looks at all or at none of them, and all count as read.
 */
export interface TaskSpec {
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  readonly name: string;
  readonly after: readonly string[];
  readonly asks: readonly string[];
  readonly tries: number;
  /** Tokens that it says a try uses at most, true or not. */
  readonly estimate?: number;
  /** Where a person is the task: what becomes of the question. The calls are what they put out, each time they are asked. */
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
  /** Whether it is run before the tasks as well. */
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
  /** What a person decides the first, second, ... time that this phase waits for one; then approval. */
  readonly people: readonly Call<PersonAct>[];
}

export interface Scenario {
  /** Tells every delay that is not given. */
  readonly seed: number;
  readonly phases: readonly PhaseSpec[];
  readonly concurrency: number | 'unlimited';
  readonly onFailure: 'continue' | 'halt';
  readonly onLimit: 'stop' | 'escalate';
  readonly limits: Limits;
  readonly attended: boolean;
  /** What becomes of questions about limits, and about phases whose gate does not say. */
  readonly inbox?: InboxPolicy;
  /** Whether a person lifts limits that hold the run; else rejects. */
  readonly lifts: boolean;
  /** When the run is cancelled from outside, in virtual milliseconds. */
  readonly cancelAt?: number;
}

/** Milliseconds before a task is tried again, and before a review is asked again; the longest that a reviewer can make it. */
export const TRY_BACKOFF = 1_000_003;
export const REVIEW_BACKOFF = 2_000_029;
export const LONGEST_REVIEW_BACKOFF = 5_000_081;

/** What the nth call of a worker does; past the end of the script everything goes well. */
export function callOf<Act extends { readonly do: string }>(
  calls: readonly Call<Act>[],
  nth: number,
  well: Call<Act>,
): Call<Act> {
  return calls[nth] ?? well;
}

/** What an issue says is wrong. */
export function wordsOf({ name, loud }: IssueAct): string {
  return loud ? `  ${name.toUpperCase()}: is -- WRONG` : `${name} is wrong.`;
}

/** How long the nth call of a worker takes: long and odd enough that no two timers ever fire together. */
export function delayOf(seed: number, worker: string, nth: number): number {
  let hash = 2166136261 ^ seed;
  for (const char of `${worker}#${nth}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  const number = (hash ^ (hash >>> 15)) >>> 0;
  // Checks have an hour at most.
  return 1 + (worker.includes('!') ? number % 3_000_000 : number);
}
