/**
 * Schemas of parts of events, and of the events of tasks.
 *
 * @module
 */
import { z } from 'zod';
import { storedDecisionSchema } from '../decision/decision.ts';
import { storedIssueSchema } from '../decision/issue-schema.ts';
import { inboxPolicySchema } from '../plan/inbox-policy.ts';

export const error = z.object({
  code: z.string(),
  name: z.string(),
  message: z.string(),
  cause: z.string().optional(),
  stack: z.string().optional(),
  permanent: z.literal(true).optional(),
  retryAfterMs: z.number().optional(),
});
export const correction = z.object({
  /** The attempt that was sent back, 0-based. */
  attempt: z.int(),
  /** The phase that sent it back: the phase itself, or a later one. */
  from: z.string(),
  feedback: z.string(),
  requiredChange: z.string().optional(),
  issues: z.array(storedIssueSchema).optional(),
});
export const revision = z.object({
  attempt: z.int(),
  feedback: z.string(),
  requiredChange: z.string().optional(),
  issues: z.array(storedIssueSchema).optional(),
  history: z.array(correction),
});
/** A phase that sent back another. */
const rewind = z.object({ from: z.string(), to: z.string() });
export const verdict = z.union([
  storedDecisionSchema,
  z.object({ type: z.literal('unrecognised'), text: z.string() }),
  z.object({ type: z.literal('inconclusive'), decision: storedDecisionSchema }),
  z.object({ type: z.literal('unavailable'), error }),
]);
export const outputs = z.record(z.string(), z.unknown());
/** Names of tasks, by phase. */
export const readTasks = z.record(z.string(), z.array(z.string()));
export const by = z.enum(['gate', 'worker', 'person']);
export const limit = z.enum([
  'corrections',
  'perPair',
  'attemptsPerPhase',
  'costUsd',
  'tokens',
  'durationMs',
  'deadlineMs',
]);

/** The attempt of a phase that an event is about. */
export const at = { phase: z.string(), generation: z.int(), attempt: z.int() };
const work = { ...at, task: z.string() };

/**
 * The outcome of the checks with a baseline before the tasks of the phase began. The phase need not make the failed ones pass.
 * A check that could not run is in neither list.
 */
export const baselined = z.object({
  type: z.literal('check.baselined'),
  ...at,
  passed: z.array(z.string()),
  failed: z.array(
    z.object({
      check: z.string(),
      /** Hashes of the failures, if the check names them: equal hashes mean equal failures. */
      marks: z.array(z.string()).optional(),
      details: z.string(),
    }),
  ),
});

/** The gate goes round in a loop, so the rest of its budgets is forfeited. */
export const looped = z.object({
  type: z.literal('loop.detected'),
  ...at,
  /**
   * The kind of loop:
   *
   * - `issue`: an issue is open again, and nothing was corrected;
   * - `rewind`: the same two rewinds alternate;
   * - `feedback`: the same words were demanded again;
   * - `unchanged`: the phase that is sent back has the same outputs again.
   */
  kind: z.enum(['issue', 'rewind', 'feedback', 'unchanged']),
  /** Ids of the issues. */
  issues: z.array(z.string()),
  /** The rewinds, oldest first. */
  rewinds: z.array(rewind),
  /** For `feedback` and `unchanged`: the number of repeated demands, or of unchanged attempts, in a row. */
  times: z.int().min(1).optional(),
});

/** The parts of its context that the handler of the last try has read. */
const hasRead = {
  /** The prompt: SHA-256 in hex, and its length. */
  prompt: z.object({ hash: z.string(), chars: z.int() }).optional(),
  /** True if it has read `revision`, and there was one. */
  revised: z.literal(true).optional(),
};

/**
 * The reflections for the attempt, in addition to the demand. `reflection` is absent if the reflect call failed. `recalled` comes from
 * earlier runs, oldest first.
 */
export const reflected = z.object({
  type: z.literal('phase.reflected'),
  ...at,
  reflection: z.string().optional(),
  recalled: z.array(z.object({ run: z.string(), reflection: z.string() })).optional(),
});

/** Events of a task, or of a reviewer if `reviewer` is true. `try` counts from 1. */
export const taskEvents = [
  z.object({ type: z.literal('task.started'), ...work, try: z.int() }),
  z.object({
    type: z.literal('task.reported'),
    ...work,
    reviewer: z.boolean(),
    tokens: z.number().optional(),
    costUsd: z.number().optional(),
    /** True if tokens and cost are the estimate of the try, as it ended without reporting its usage. */
    estimated: z.literal(true).optional(),
    /** True if the report came after the attempt was over or cancelled. */
    late: z.literal(true).optional(),
    /** Input and output tokens among them, and the model that used them. */
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    model: z.string().optional(),
    /** The provider of the model. */
    provider: z.string().optional(),
    progress: z.union([z.number(), z.string()]).optional(),
    artifact: z.object({ name: z.string(), content: z.unknown() }).optional(),
    observation: z.string().optional(),
    /** True if the task only waits for people from then on, false if it works again. */
    waiting: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('task.completed'),
    ...work,
    try: z.int(),
    output: z.unknown(),
    ...hasRead,
  }),
  z.object({
    type: z.literal('task.retrying'),
    ...work,
    reviewer: z.boolean(),
    try: z.int(),
    error,
    delayMs: z.number(),
  }),
  z.object({
    type: z.literal('task.failed'),
    ...work,
    try: z.int(),
    error,
    /** Its demand of an earlier phase, if it cannot work with the outputs of that phase. */
    rework: z.object({ phase: z.string(), feedback: z.string() }).optional(),
    ...hasRead,
  }),
  /** A person is asked, as the task or as the reviewer. */
  z.object({
    type: z.literal('task.asked'),
    ...work,
    reviewer: z.boolean(),
    question: z.string(),
    description: z.string().optional(),
    choices: z.array(z.string()).optional(),
    inbox: inboxPolicySchema,
  }),
  /** A person has answered, with the output or a decision. */
  z.object({
    type: z.literal('task.answered'),
    ...work,
    reviewer: z.boolean(),
    answer: z.unknown(),
    /** The person, if known. */
    who: z.string().optional(),
  }),
] as const;
