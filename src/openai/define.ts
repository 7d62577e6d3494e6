/**
 * Tasks, reviewers and reflect calls that are models.
 *
 * @module
 */
import { z } from 'zod';
import { modelReviewer, type ModelReviewerFields } from '../llm/review/reviewer.ts';
import { modelReflection, type ModelReflectionFields } from '../llm/work/reflection.ts';
import { modelTask, type ModelTaskFields } from '../llm/work/task.ts';
import type { Decision } from '../model/decision/decision.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { Inputs, Task } from '../model/handlers/task.ts';
import { callersOf } from './caller.ts';
import type { OpenAILadder, OpenAIModel, OtherLadder, OtherModel } from './options.ts';

/** Options of {@link openaiTask}: the work, and the model for it. */
export type OpenAITaskOptions<S extends z.ZodType | undefined = undefined> = ModelTaskFields<S> &
  (OpenAIModel | OtherModel | OpenAILadder | OtherLadder);

/** Options of {@link openaiReviewer}: the criteria, and the model that judges by them. */
export type OpenAIReviewerOptions = ModelReviewerFields & (OpenAIModel | OtherModel | OpenAILadder | OtherLadder);

/** Options of {@link openaiReflection}: the model that reflects, and its instructions. */
export type OpenAIReflectionOptions = ModelReflectionFields & (OpenAIModel | OtherModel | OpenAILadder | OtherLadder);

/**
 * A task that a model does. The answer is its output: text, or a value of its `output` schema.
 *
 * The model gets the instructions, the prompt of the attempt (the description, after the revision if there is one), and the material.
 * Progress and usage in tokens are reported; with `prices`, costs in dollars as well. Transient failures are retried by the `retry` policy,
 * and never sooner than the server asks for. Other failures fail the task at once. With `models`, each attempt asks the next model.
 *
 * @param name Unique in its phase.
 * @throws PhasegateError `DEFINITION_INVALID` if no model is named, the prices lack it, or JSON Schema cannot express the schema.
 *
 * @example
 * ```ts
 * const draft = openaiTask('draft', { model: 'gpt-5', description: 'Write a note on gates.', output: z.object({ text: z.string() }) });
 * ```
 */
export function openaiTask<const N extends string, S extends z.ZodType>(
  name: N,
  options: OpenAITaskOptions<S> & { readonly output: S },
): Task<N, z.output<S>, Inputs>;
export function openaiTask<const N extends string>(
  name: N,
  options: OpenAITaskOptions & { readonly output?: undefined },
): Task<N, string, Inputs>;
export function openaiTask<N extends string>(
  name: N,
  options: OpenAITaskOptions<z.ZodType | undefined>,
): Task<N, unknown, Inputs> {
  return modelTask(name, callersOf(name, options), options);
}

/**
 * A reviewer that is a model, for `review` or in `by`. Its answer is a JSON verdict, which becomes a decision. `approved` approves.
 * `needs_changes` and `retry` send the phase back with the required change. `escalate` and `reject` do so literally. The confidence counts
 * for `minConfidence`, and the score for `onExhausted: 'acceptBest'`.
 *
 * An invalid verdict is a review error: the gate asks again, and neither approves nor rejects. The work under review is enclosed by a
 * delimiter, and the verdict must repeat a nonce. Both are random for each question. With `models`, each attempt is judged by the next
 * model. The models in `fallback` judge if a model fails.
 *
 * @param name Unique among the reviewers of its phase.
 * @throws PhasegateError `DEFINITION_INVALID` if there are no criteria, no model is named, or the prices lack it.
 *
 * @example
 * ```ts
 * phase('note', { tasks: [draft], review: openaiReviewer('editor', { model: 'gpt-5', criteria: 'It names a number.' }) });
 * ```
 */
export function openaiReviewer<const N extends string>(
  name: N,
  options: OpenAIReviewerOptions,
): Task<N, Decision, Inputs> {
  if (typeof options.criteria !== 'string' || options.criteria.trim() === '') {
    throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model review as "${name}" as there are no criteria`, {
      hint: "State the conditions on the work: openaiReviewer('editor', { model, criteria: 'It names a number.' }).",
    });
  }
  return modelReviewer(name, callersOf(name, options), options);
}

/**
 * A reflect call by a model, for `reflect` of a review. The model gets the prompts and outputs of the tasks, the feedback, and earlier
 * reflections. Its answer states the changes for the next attempt, which gets that text in its prompts.
 *
 * @param name Must differ from the names of the tasks of its phase.
 * @throws PhasegateError `DEFINITION_INVALID` if no model is named, or the prices lack it.
 *
 * @example
 * ```ts
 * phase('note', {
 *   tasks: [draft],
 *   review: { by: editor, strategy: 'reflexion', reflect: openaiReflection('reflect', { model: 'gpt-5' }) },
 * });
 * ```
 */
export function openaiReflection<const N extends string>(
  name: N,
  options: OpenAIReflectionOptions,
): Task<N, string, Inputs> {
  return modelReflection(name, callersOf(name, options), options);
}
