/**
 * How gates behave: the options, their defaults, and presets that reproduce well-known ways of working.
 *
 * @module
 */
import { z } from 'zod';
import { approvalSchema } from './approval-policy.ts';
import { inboxPolicySchema } from './inbox-policy.ts';

/** A count that bounds a loop: a whole number from 0, or `'unlimited'` where a run-wide limit bounds it instead. */
const count = z.union([z.int().min(0), z.literal('unlimited')]);

/** Waiting times between tries, in milliseconds: `first`, then `factor` times longer each time, up to `max`. */
export const backoffSchema = z
  .strictObject({
    /** Milliseconds before the second try. @default 1000 */
    first: z.number().min(0).optional(),
    /** How many times longer each following wait is. @default 2 */
    factor: z.number().min(1).optional(),
    /** Longest wait in milliseconds, also where an error asks for a longer one. @default 60000 */
    max: z.number().min(0).optional(),
    /** Whether each wait is a random part of that time, from none to all, so that those who failed together do not come back together. @default false, of models true */
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
   * How often in a row the same makes a loop, after which no budget is left: reviews that find the same issue open while no other is
   * corrected, demands that repeat the one before in the same words, attempts that put out what was sent back. @default 2
   */
  loopAfter: z.union([z.int().min(2), z.literal('unlimited')]).optional(),
  /** What follows a request for changes when that budget is spent. @default 'reject' */
  onExhausted: z.enum(['accept', 'acceptBest', 'escalate', 'reject']).optional(),
  /** What text without a verdict means: an approval with a warning, or that the review is asked again. @default 'ask' */
  onUnrecognised: z.enum(['approve', 'ask']).optional(),
  /**
   * What it means that a reviewer's words send back a phase that they may not: an approval with a warning, a question to a
   * person, or that the review is asked again, as often as `maxReviewErrors` says. @default 'ask'
   */
  onInvalidTarget: z.enum(['approve', 'escalate', 'ask']).optional(),
  /** Times one review is asked again after it could not be had. @default 3 */
  maxReviewErrors: count.optional(),
  /**
   * What follows where a review could not be had in all its tries: the phase fails, or a person decides. A person can be
   * reached in a run that is kept; in any other the phase fails. An attended run, and a kept one whose gate names an inbox
   * queue, asks a person in any case. @default 'fail'
   */
  onReviewUnavailable: z.enum(['fail', 'escalate']).optional(),
  /** Waiting time before a review is asked again. */
  reviewBackoff: backoffSchema.optional(),
  /** A request for changes or a rejection with a confidence at or under this is asked again. 0 turns it off. @default 0.6 */
  minConfidence: z.number().min(0).max(1).optional(),
  /** Which approvals open the gate; others are asked for again. */
  approval: approvalSchema.optional(),
  /** Which phases may be sent back. @default 'predecessors' */
  rewindTo: z.enum(['predecessors', 'ancestors']).optional(),
  /** Which other successors of a phase that was sent back run again. @default 'requester' (none) */
  invalidate: z.enum(['requester', 'changed', 'all']).optional(),
  /** Whether a phase that is sent back must pass its own gate again. @default true */
  regate: z.boolean().optional(),
  /** How the revision is written into the prompt. @default 'ensemble' */
  layout: z.enum(['ensemble', 'rejection-first']).optional(),
  /** What the revision carries. @default 'feedback' */
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
  /** Who is asked where a person has to decide, and what happens where nobody does. */
  inbox: inboxPolicySchema.optional(),
});

/** Limits of a whole run; totals never start over. Absent means no limit. */
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
    /** Milliseconds of work. Time in which only people are waited for does not count, nor time without a process. */
    durationMs: z.number().min(0).optional(),
    /** Milliseconds from the start of the run by the clock, or from when the fork was made. All time counts. */
    deadlineMs: z.number().min(0).optional(),
  })
  .readonly();

/** What decides a whole run rather than one gate. */
const runPolicySchema = z.strictObject({
  /** What a failed or rejected phase means for independent branches. @default 'continue' */
  onFailure: z.enum(['continue', 'halt']).optional(),
  /** What a spent limit means: end the run, or hold it for a person. @default 'stop' */
  onLimit: z.enum(['stop', 'escalate']).optional(),
  limits: limitsSchema.optional(),
});

/** The schema of {@link Policy}. */
export const policySchema = gatePolicySchema.extend(runPolicySchema.shape).readonly();

/** Options of a gate that are plain data. */
export type GatePolicy = Readonly<z.infer<typeof gatePolicySchema>>;

/** Gate options for every phase of a pipeline, with what decides the whole run. A phase's own `review` wins. */
export type Policy = z.infer<typeof policySchema>;

/** Limits of a whole run. */
export type Limits = z.infer<typeof limitsSchema>;

/** The name of a limit of a run. */
export type LimitName = keyof Limits;

/** A limit that time spends. */
export type TimeLimit = 'durationMs' | 'deadlineMs';

/** Waiting times between tries. */
export type Backoff = z.infer<typeof backoffSchema>;

/** A count that bounds a loop. */
export type Count = z.infer<typeof count>;

/** Gate options with every default filled in. */
export type FullGatePolicy = {
  readonly [K in Exclude<keyof GatePolicy, 'onReviewUnavailable'>]-?: Exclude<GatePolicy[K], undefined>;
} & Pick<GatePolicy, 'onReviewUnavailable'>;

/** What a gate does where neither the phase nor the pipeline says otherwise. */
export const gateDefaults: FullGatePolicy = {
  maxRetries: 2,
  maxPredecessorRetries: 2,
  loopAfter: 2,
  onExhausted: 'reject',
  onUnrecognised: 'ask',
  onInvalidTarget: 'ask',
  maxReviewErrors: 3,
  reviewBackoff: Object.freeze({}),
  minConfidence: 0.6,
  approval: Object.freeze({ minConfidence: 0, maxSeverity: 'medium' } as const),
  rewindTo: 'predecessors',
  invalidate: 'requester',
  regate: true,
  layout: 'ensemble',
  strategy: 'feedback',
  maxRevisionChars: 32_000,
  maxPromptGrowth: 3,
  inbox: Object.freeze({}),
};

/** Presets: four reproduce one source of the design each, `strict` adds people to the defaults. */
export const policies = {
  /**
   * Agent ensembles: a spent budget accepts, text without a verdict and a target that is not allowed approve, a phase that is
   * sent back does not pass its gate again. The only preset under which a gate opens although nobody opened it.
   */
  ensemble: { onExhausted: 'accept', onUnrecognised: 'approve', onInvalidTarget: 'approve', regate: false },
  /** Coding fleets: rejection first, three attempts, then a person; a reviewer that cannot answer never rejects. */
  fleet: {
    layout: 'rejection-first',
    maxRetries: 2,
    onExhausted: 'escalate',
    onUnrecognised: 'ask',
    onInvalidTarget: 'escalate',
  },
  /** Team software process: defects go back to the phase that made them, and everything below it runs again. */
  tsp: {
    maxRetries: 3,
    maxPredecessorRetries: 3,
    rewindTo: 'ancestors',
    invalidate: 'all',
    onExhausted: 'escalate',
    onLimit: 'escalate',
    limits: { perPair: 3, corrections: 10 },
  },
  /** Phased execution: one retry from a fresh context, then everything halts. */
  phased: { maxRetries: 1, onExhausted: 'reject', onFailure: 'halt' },
  /** The defaults with people: what would end for want of an approval waits for one to decide. */
  strict: {
    onExhausted: 'escalate',
    onUnrecognised: 'ask',
    onInvalidTarget: 'escalate',
    onReviewUnavailable: 'escalate',
    invalidate: 'changed',
    onLimit: 'escalate',
    approval: { minConfidence: 0.6, maxSeverity: 'low' },
  },
} as const satisfies Readonly<Record<string, Policy>>;

/** Whether a strategy carries reflections, so that rejected attempts are reflected on. */
export function reflects(strategy: FullGatePolicy['strategy']): boolean {
  return strategy === 'reflexion' || strategy === 'lastAttemptAndReflexion';
}

/** Whether a sum is more than its limit, and not just by what is lost in adding fractions. No limit is never exceeded. */
export function isOver(sum: number, max: number | undefined): boolean {
  return max !== undefined && sum - max > max * 1e-9;
}

/** Whether nothing of a limit is left, also but for what is lost in adding fractions. No limit is never used up. */
export function isUsedUp(sum: number, max: number | undefined): boolean {
  return max !== undefined && max - sum <= max * 1e-9;
}

/** A count as a number, `Infinity` where it is unlimited. */
export function countOf(value: Count): number {
  return value === 'unlimited' ? Infinity : value;
}
