/**
 * A task whose work a model does.
 *
 * @module
 */
import type { z } from 'zod';
import type { AnyTask, Inputs, RetryPolicy, Task, TaskContext } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import { refuseMaxAnswer } from '../call/answer-limit.ts';
import { answerForm, readJson, unwrapped, type AnswerForm } from '../call/answer-schema.ts';
import { callModel, type Asked, type Caller } from '../call/call.ts';
import { fit, MOST_MATERIAL, refuseMaterial } from '../call/fit.ts';
import { callerAt } from '../call/ladder.ts';
import { MODEL_TIMEOUT, modelRetry } from '../call/patience.ts';
import { taskMessages } from './task-messages.ts';

/** What a task of a model says beside which model it asks. */
export interface ModelTaskFields<S extends z.ZodType | undefined = z.ZodType | undefined> {
  /** What is to be done. It is what the model is asked, with the revision in front. @default '' */
  readonly description?: string | undefined;
  /** What the model is told before that, in each attempt alike: who it is, how it works. @default '' */
  readonly instructions?: string | undefined;
  /** Schema of the answer, which is JSON then. @default the answer is text */
  readonly output?: S;
  /**
   * What the model is shown beside the description, by heading. Asking for `inputs` of phases that come not directly before makes the
   * phase depend on them.
   *
   * @default the input of the run, the outputs of all ancestors, and those of the tasks in `after`
   */
  readonly material?: ((context: TaskContext) => Readonly<Record<string, unknown>>) | undefined;
  /**
   * Characters of the material that the model is shown at most, as JSON. Of more, long texts are cut in the middle and long lists at the
   * end, and it is said there; records have a warning (`MATERIAL_CUT`). Where the model says that it was still too much for its context,
   * it is asked once more with less. @default 300000
   */
  readonly maxMaterial?: number | undefined;
  /**
   * Characters of the answer that are taken at most. One that becomes longer is ended there, also while it is streamed, and is a failed try
   * (`TEXT_TOO_LONG`). @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /** Tasks of the same phase whose outputs it needs. */
  readonly after?: readonly (AnyTask | string)[] | undefined;
  /** What is tried again. @default 5 tries, after at most 1, 2, 4 and 8 seconds (`jitter`), or as long as the server asks for, up to 5 minutes */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try; 0 for none. @default 600000 (ten minutes) */
  readonly timeout?: number | undefined;
  /** What one try is expected to use at most. */
  readonly estimate?: Estimate | undefined;
}

/**
 * Makes the task. `O` is what its schema says of the output.
 *
 * @param callers One for each attempt, the last one for all that follow.
 */
export function modelTask<N extends string, O>(
  name: N,
  callers: readonly [Caller, ...Caller[]],
  fields: ModelTaskFields,
): Task<N, O, Inputs> {
  const { description, instructions = '', output, material = allOf, maxMaterial = MOST_MATERIAL, after } = fields;
  const { estimate = {}, maxAnswerChars = TEXT_LIMITS.modelAnswer } = fields;
  refuseMaterial(name, maxMaterial);
  refuseMaxAnswer(name, maxAnswerChars);
  const form = output && answerForm('answer', output);
  const run = async (context: TaskContext): Promise<unknown> => {
    const given = material(context);
    const messages = (most: number): Asked => {
      const fitted = fit(given, most);
      return { fitted, messages: taskMessages({ prompt: context.prompt, fitted, instructions, form }) };
    };
    const question = { messages, maxMaterial, maxAnswerChars, schema: form?.schema, retryEmpty: true, estimate };
    const text = await callModel(callerAt(callers, context.attempt), question, context);
    return form ? valueOf(form, text, context) : text;
  };
  const { retry, timeout = MODEL_TIMEOUT } = fields;
  return {
    kind: 'task',
    name,
    options: { description, after, output, estimate: fields.estimate, timeout, retry: modelRetry(retry), run },
  };
}

// --- internal ---

function valueOf(form: AnswerForm, text: string, { phase, task }: TaskContext): unknown {
  return unwrapped(form, readJson(text, `"${task}" of phase "${phase}"`, true));
}

function allOf({ input, inputs, context }: TaskContext): Readonly<Record<string, unknown>> {
  return {
    'Input of the run': input,
    'Outputs of earlier phases': { ...inputs },
    'Outputs of earlier tasks of this phase': context,
  };
}
