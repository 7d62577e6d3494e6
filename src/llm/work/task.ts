/**
 * A task that a model does.
 *
 * @module
 */
import type { z } from 'zod';
import type { PoolOption } from '../../model/handlers/pool.ts';
import type { AnyTask, Inputs, RetryPolicy, Task, TaskContext } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import { refuseMaxAnswer } from '../call/answer-limit.ts';
import { answerForm, readJson, unwrapped, type AnswerForm } from '../call/answer-schema.ts';
import { unreportedBy } from '../call/unreported.ts';
import { callModel, type Asked, type Caller } from '../call/call.ts';
import { fit, MOST_MATERIAL, refuseMaterial } from '../call/fit.ts';
import { callerAt } from '../call/ladder.ts';
import { MODEL_TIMEOUT, modelRetry } from '../call/patience.ts';
import { allInputs } from './task-material.ts';
import { taskMessages } from './task-messages.ts';

/** Options of a model's task, without the choice of the model. */
export interface ModelTaskFields<S extends z.ZodType | undefined = z.ZodType | undefined> extends PoolOption {
  /** The task in words. The model gets it after the revision, if there is one. @default '' */
  readonly description?: string | undefined;
  /** Instructions before the description, the same in each attempt, such as the model's role. @default '' */
  readonly instructions?: string | undefined;
  /** Schema of the answer, which is then JSON. @default the answer is text */
  readonly output?: S;
  /**
   * Material for the model next to the description, by heading. Reading `inputs` of phases that do not directly precede makes the phase
   * depend on them.
   *
   * @default the input of the run, the outputs of all ancestors, and those of the tasks in `after`
   */
  readonly material?: ((context: TaskContext) => Readonly<Record<string, unknown>>) | undefined;
  /**
   * Most characters of material, as JSON. Above that, long texts are cut in the middle and long lists at the end. Notes replace the omitted
   * parts, and records have a warning (`MATERIAL_CUT`). If the model reports that its context is too small, it is asked once more with
   * less.
   *
   * @default 300000
   */
  readonly maxMaterial?: number | undefined;
  /**
   * Most characters of the answer. A longer one is ended, even while it streams, and is a failed try (`TEXT_TOO_LONG`).
   *
   * @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /** Tasks of the same phase whose outputs it needs. */
  readonly after?: readonly (AnyTask | string)[] | undefined;
  /** Retries. @default 5 tries, after at most 1, 2, 4 and 8 seconds (`jitter`), or the delay that the server asks for, up to 5 minutes */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try; 0 for none. @default 600000 (ten minutes) */
  readonly timeout?: number | undefined;
  /**
   * True if records have the messages and the answer of each call, as an artifact of at most 65536 characters a text, with secrets masked.
   *
   * @default false
   */
  readonly recordCalls?: boolean | undefined;
  /** Estimated maximum usage of one try. */
  readonly estimate?: Estimate | undefined;
}

/**
 * Creates the task. `O` is the output type of its schema.
 *
 * @param callers One for each attempt; the last one serves all later attempts.
 */
export function modelTask<N extends string, O>(
  name: N,
  callers: readonly [Caller, ...Caller[]],
  fields: ModelTaskFields,
): Task<N, O, Inputs> {
  const { description, instructions = '', output, material = allInputs, maxMaterial = MOST_MATERIAL, after } = fields;
  const { estimate = {}, maxAnswerChars = TEXT_LIMITS.modelAnswer, recordCalls = false } = fields;
  refuseMaterial(name, maxMaterial);
  refuseMaxAnswer(name, maxAnswerChars);
  const form = output && answerForm('answer', output);
  const run = async (context: TaskContext): Promise<unknown> => {
    const given = material(context);
    const messages = (most: number): Asked => {
      const fitted = fit(given, most);
      return { fitted, messages: taskMessages({ prompt: context.prompt, fitted, instructions, form }) };
    };
    const schema = form?.schema;
    const question = { messages, maxMaterial, maxAnswerChars, schema, retryEmpty: true, recordCalls, estimate };
    const text = await callModel(callerAt(callers, context.attempt), question, context);
    return form ? valueOf(form, text, context) : text;
  };
  const { retry, timeout = MODEL_TIMEOUT, pool } = fields;
  return {
    kind: 'task',
    name,
    options: {
      description,
      after,
      output,
      estimate: fields.estimate,
      unreported: unreportedBy(callers),
      timeout,
      pool,
      retry: modelRetry(retry),
      run,
    },
  };
}

// --- internal ---

function valueOf(form: AnswerForm, text: string, { phase, task }: TaskContext): unknown {
  return unwrapped(form, readJson(text, `"${task}" of phase "${phase}"`, true));
}
