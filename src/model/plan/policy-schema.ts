/**
 * Schemas of the options of gates and runs, and their types.
 *
 * @module
 */
import { z } from 'zod';
import { approvalSchema } from './approval-policy.ts';
import { inboxPolicySchema } from './inbox-policy.ts';

/** A count that bounds a loop: a whole number from 0, or `'unlimited'` if a limit of the run bounds it instead. */
const count = z.union([z.int().min(0), z.literal('unlimited')]);

/** Waiting times between tries, in milliseconds: `first`, then `factor` times longer each time, up to `max`. */
export const backoffSchema = z
  .strictObject({
    /** Milliseconds before the second try. @default 1000 */
    first: z.number().min(0).optional(),
    /** The factor by which each following wait is longer. @default 2 */
    factor: z.number().min(1).optional(),
    /** Longest wait in milliseconds, also if an error asks for a longer one. @default 60000 */
    max: z.number().min(0).optional(),
    /**
     * If true, each wait is a random part of that time, from none to all, so that tasks that failed together do not retry together.
     * @default false, for models true
     */
    jitter: z.boolean().optional(),
  })
  .readonly();

/** Every option of a gate that is plain data; see {@link GatePolicy}. */
export const gatePolicySchema = z.strictObject({
  /** Times the gate may send its own phase back per start. 0 reviews once. @default 2 */
  maxRetries: count.optional(),
  /** Times the gate may send back each predecessor, over the whole run. 0 forbids it. @default 2 */
  maxPredecessorRetries: count.optional(),
  /**
   * Repetitions in a row that make a loop, after which no budget is left. These are repetitions:
   *
   * - a review finds the same issue open, and no other is corrected;
   * - a demand has the same words as the one before;
   * - an attempt has the same outputs as the one that was sent back.
   *
   * @default 2
   */
  loopAfter: z.union([z.int().min(2), z.literal('unlimited')]).optional(),
  /** The outcome of a request for changes when that budget is spent. @default 'reject' */
  onExhausted: z.enum(['accept', 'acceptBest', 'escalate', 'reject']).optional(),
  /** The meaning of text without a verdict: an approval with a warning, or the review is asked again. @default 'ask' */
  onUnrecognised: z.enum(['approve', 'ask']).optional(),
  /**
   * The meaning of a reviewer's text that sends back a phase that it may not: an approval with a warning, a question to a person,
   * or the review is asked again, as often as `maxReviewErrors` allows. @default 'ask'
   */
  onInvalidTarget: z.enum(['approve', 'escalate', 'ask']).optional(),
  /** Times one review is asked again after it failed. @default 3 */
  maxReviewErrors: count.optional(),
  /**
   * The outcome if a review failed in all its tries: the phase fails, or a person decides. Only a stored run can ask a person; in any
   * other the phase fails. An attended run, and a stored one whose gate names an inbox queue, always asks a person. @default 'fail'
   */
  onReviewUnavailable: z.enum(['fail', 'escalate']).optional(),
  /** Waiting time before a review is asked again. */
  reviewBackoff: backoffSchema.optional(),
  /** A request for changes or a rejection with a confidence at or under this is asked again. 0 turns it off. @default 0.6 */
  minConfidence: z.number().min(0).max(1).optional(),
  /** The approvals that open the gate; others are asked for again. */
  approval: approvalSchema.optional(),
  /** The phases that may be sent back. @default 'predecessors' */
  rewindTo: z.enum(['predecessors', 'ancestors']).optional(),
  /** The other successors of a phase that was sent back which run again. @default 'requester' (none) */
  invalidate: z.enum(['requester', 'changed', 'all']).optional(),
  /** True if a phase that is sent back must pass its own gate again. @default true */
  regate: z.boolean().optional(),
  /** The layout of the revision in the prompt. @default 'ensemble' */
  layout: z.enum(['ensemble', 'rejection-first']).optional(),
  /** The content of the revision. @default 'feedback' */
  strategy: z
    .enum([
      'feedback',
      'feedbackHistory',
      'lastAttempt',
      'reflexion',
      'lastAttemptAndReflexion',
      'sharedPool',
      'trajectory',
      'fresh',
      'none',
    ])
    .optional(),
  /** Longest revision in characters; longer ones are cut in a fixed order. @default 32000 */
  maxRevisionChars: z.int().min(256).optional(),
  /** A rework prompt longer than this many first prompts warns. A first prompt counts as 1000 characters or more. 0 turns it off. @default 3 */
  maxPromptGrowth: z.number().min(0).optional(),
  /** The inbox policy for decisions of a person: the queue, and what happens if nobody answers. */
  inbox: inboxPolicySchema.optional(),
});

/** Limits of a whole run; totals never restart. Absent means no limit. */
export const limitsSchema = z
  .strictObject({
    /** Times any phase is sent back, by its own gate or a later one, in all. */
    corrections: z.int().min(0).optional(),
    /** Times one phase sends back one other. */
    perPair: z.int().min(0).optional(),
    /** Attempts of any one phase. */
    attemptsPerPhase: z.int().min(1).optional(),
    /** Money in US dollars, as tasks report it. */
    costUsd: z.number().min(0).optional(),
    /** Tokens, as tasks report them. */
    tokens: z.int().min(0).optional(),
    /** Milliseconds of work. Time in which the run only waits for people does not count, nor time without a process. */
    durationMs: z.number().min(0).optional(),
    /** Milliseconds of real time since the start of the run, or since the fork was made. All time counts. */
    deadlineMs: z.number().min(0).optional(),
  })
  .readonly();

/** Options of the whole run instead of one gate. */
const runPolicySchema = z.strictObject({
  /** The effect of a failed or rejected phase on independent branches. @default 'continue' */
  onFailure: z.enum(['continue', 'halt']).optional(),
  /** The effect of a spent limit: end the run, or hold it for a person. @default 'stop' */
  onLimit: z.enum(['stop', 'escalate']).optional(),
  limits: limitsSchema.optional(),
});

/** The schema of {@link Policy}. */
export const policySchema = gatePolicySchema.extend(runPolicySchema.shape).readonly();

/** Options of a gate that are plain data. */
export type GatePolicy = Readonly<z.infer<typeof gatePolicySchema>>;

/** Gate options for every phase of a pipeline, and options of the whole run. A phase's own `review` wins. */
export type Policy = z.infer<typeof policySchema>;

/** Limits of a whole run. */
export type Limits = z.infer<typeof limitsSchema>;

/** The name of a limit of a run. */
export type LimitName = keyof Limits;

/** A limit on time. */
export type TimeLimit = 'durationMs' | 'deadlineMs';

/** Waiting times between tries. */
export type Backoff = z.infer<typeof backoffSchema>;

/** A count that bounds a loop. */
export type Count = z.infer<typeof count>;
