/**
 * What events are made of, and those of tasks.
 *
 * @module
 */
import { z } from 'zod';
import { storedDecisionSchema } from '../decision/decision.ts';
import { storedIssueSchema } from '../decision/issue.ts';
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
  /** Who sent it back: the phase itself, or a later one. */
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
/** A phase that has sent back another. */
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

/** Which attempt of which phase an event speaks of. */
export const at = { phase: z.string(), generation: z.int(), attempt: z.int() };
const work = { ...at, task: z.string() };

/**
 * How the checks stood before the tasks of the phase set to work: those that have a baseline, and which the phase does not have to
 * leave passing anyway. A check that could not be had is in neither list.
 */
export const baselined = z.object({
  type: z.literal('check.baselined'),
  ...at,
  passed: z.array(z.string()),
  failed: z.array(
    z.object({
      check: z.string(),
      /** Marks of what failed, where the check says that: the same ones stand for the same failures. */
      marks: z.array(z.string()).optional(),
      details: z.string(),
    }),
  ),
});

/** The gate goes round in a loop, so what is left of its budgets is forfeited. */
export const looped = z.object({
  type: z.literal('loop.detected'),
  ...at,
  /**
   * An issue was found open again and nothing was corrected; the same two rewinds take turns; the same was demanded in the same
   * words; or the phase that is sent back puts out the same.
   */
  kind: z.enum(['issue', 'rewind', 'feedback', 'unchanged']),
  /** Names of the issues. */
  issues: z.array(z.string()),
  /** The rewinds, oldest first. */
  rewinds: z.array(rewind),
  /** Of `feedback` and `unchanged`, how often in a row: repeated demands, or unchanged attempts. */
  times: z.int().min(1).optional(),
});

/** What the handler of the last try has read of what it was given. */
const hasRead = {
  /** The prompt: SHA-256 in hex, and its length. */
  prompt: z.object({ hash: z.string(), chars: z.int() }).optional(),
  /** Whether it has read `revision`, and there was one. */
  revised: z.literal(true).optional(),
};

/**
 * What the attempt is told to have learned, beside the demand. `reflection` is absent where none could be had. `recalled` comes from
 * earlier runs, oldest first.
 */
export const reflected = z.object({
  type: z.literal('phase.reflected'),
  ...at,
  reflection: z.string().optional(),
  recalled: z.array(z.object({ run: z.string(), reflection: z.string() })).optional(),
});

/** What happens to a task, or to a reviewer, where `reviewer` is true. `try` counts from 1. */
export const taskEvents = [
  z.object({ type: z.literal('task.started'), ...work, try: z.int() }),
  z.object({
    type: z.literal('task.reported'),
    ...work,
    reviewer: z.boolean(),
    tokens: z.number().optional(),
    costUsd: z.number().optional(),
    /** Whether that is what the try was expected to use at most, as it ended without saying what it used. */
    estimated: z.literal(true).optional(),
    /** Whether nobody waited for the try any more: its attempt was over, or cancelled. */
    late: z.literal(true).optional(),
    /** Of the tokens, those that a model was given, and those that it answered with; which model it was. */
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    model: z.string().optional(),
    /** Who serves the model. */
    provider: z.string().optional(),
    progress: z.union([z.number(), z.string()]).optional(),
    artifact: z.object({ name: z.string(), content: z.unknown() }).optional(),
    observation: z.string().optional(),
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
    /** What it demands of an earlier phase, where it cannot work with what that put out. */
    rework: z.object({ phase: z.string(), feedback: z.string() }).optional(),
    ...hasRead,
  }),
  /** A person is asked, who is the task, or the reviewer. */
  z.object({
    type: z.literal('task.asked'),
    ...work,
    reviewer: z.boolean(),
    question: z.string(),
    description: z.string().optional(),
    choices: z.array(z.string()).optional(),
    inbox: inboxPolicySchema,
  }),
  /** A person has answered: with the output, or a decision. */
  z.object({
    type: z.literal('task.answered'),
    ...work,
    reviewer: z.boolean(),
    answer: z.unknown(),
    /** Who, as far as known. */
    who: z.string().optional(),
  }),
] as const;
