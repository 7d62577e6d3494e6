/**
 * People as tasks and as reviewers.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../errors/phasegate-error.ts';
import { inboxPolicySchema, type InboxPolicy } from '../plan/inbox-policy.ts';
import { isSchema, type StandardSchemaV1 } from '../values/standard-schema.ts';
import type { TaskContext } from './task.ts';

/** Options of {@link human}: the question, and the inbox policy, such as reminders and expiry. */
export interface HumanOptions extends InboxPolicy {
  /** The question, in one line. */
  readonly question: string;
  /** Background that a person needs to answer. */
  readonly description?: string | undefined;
  /** The only answers that are allowed. For tasks only; a reviewer's answer is a decision. @default any answer */
  readonly choices?: readonly string[] | undefined;
  /** Validates the answer; the person is asked again if it refuses. For tasks only, in addition to their `output` schema. */
  readonly schema?: StandardSchemaV1 | undefined;
}

/** A handler that asks a person. */
export interface HumanHandler<O> {
  (context: Pick<TaskContext, 'phase' | 'task'>): Promise<O>;
  readonly kind: 'human';
}

/**
 * Makes a handler that asks a person, for `task()` and as a reviewer. It opens an item of the inbox and waits for the answer, also
 * across restarts. The answer is the task's output, or the reviewer's decision.
 *
 * The `timeout` of its task does not apply: a person has the time that `expireAfterMs` gives.
 *
 * @throws PhasegateError `DEFINITION_INVALID` if there is no question, or an option is wrong.
 *
 * @example
 * ```ts
 * task('budget', { output: z.number(), run: human({ question: 'How much may it cost?', remindAfterMs: 3_600_000 }) });
 * phase('release', { tasks: [build], review: human({ question: 'May it go out?', queue: 'release managers' }) });
 * ```
 */
export function human<O>(options: HumanOptions): HumanHandler<O> {
  const question = readOptions(options);
  const ask = ({ task, phase }: Pick<TaskContext, 'phase' | 'task'>): Promise<O> =>
    Promise.reject(unreachable(phase, task));
  const handler: HumanHandler<O> = Object.assign(ask, { kind: 'human' as const });
  questions.set(handler, question);
  return handler;
}

/** Returns the question of a task that asks a person; `undefined` for any other task. */
export function questionOf(task: { readonly run: unknown } | undefined): HumanOptions | undefined {
  return typeof task?.run === 'function' ? questions.get(task.run) : undefined;
}

// --- internal ---

/** The questions, by handler. */
const questions = new WeakMap<object, HumanOptions>();

const notBlank = z.string().regex(/\S/u, 'it is empty');

const optionsSchema = inboxPolicySchema.unwrap().extend({
  question: notBlank,
  description: z.string().optional(),
  choices: z.array(notBlank).min(1).optional(),
  schema: z.custom<StandardSchemaV1>((value) => value === undefined || isSchema(value), 'it is no schema').optional(),
});

function readOptions(options: HumanOptions): HumanOptions {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.') || '(root)'}: ${message}`);
  throw new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot make a question to a person as its options are wrong:\n  ${lines.join('\n  ')}`,
    { hint: "Give at least a question: human({ question: 'May it go out?' })." },
  );
}

function unreachable(phase: string, task: string): PhasegateError {
  return new PhasegateError(
    'HUMAN_UNREACHABLE',
    `Cannot ask a person for "${task}" of phase "${phase}" as this run has no inbox`,
    {
      hint: 'Run the pipeline with startRun() or resumeRun(), and give human() itself as `run`, `review` or `by`, not a function that calls it.',
    },
  );
}
