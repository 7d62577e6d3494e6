/**
 * Tasks and reviewers that are models.
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

/** What {@link openaiTask} takes: the work, and which model does it. */
export type OpenAITaskOptions<S extends z.ZodType | undefined = undefined> = ModelTaskFields<S> &
  (OpenAIModel | OtherModel | OpenAILadder | OtherLadder);

/** What {@link openaiReviewer} takes: the criteria, and which model judges by them. */
export type OpenAIReviewerOptions = ModelReviewerFields & (OpenAIModel | OtherModel | OpenAILadder | OtherLadder);

/** What {@link openaiReflection} takes: which model reflects, and what it is told. */
export type OpenAIReflectionOptions = ModelReflectionFields & (OpenAIModel | OtherModel | OpenAILadder | OtherLadder);

/**
 * A task that a model does. Its answer is the output: text, or what its `output` schema describes.
 *
 * The model is told the instructions, the prompt of the attempt (the description with the revision in front), and the material.
 * Pieces of the answer are reported as progress, usage as tokens and, with `prices`, as dollars. Failures that pass are tried
 * again as `retry` says, and no sooner than the server asks for; others fail the task at once. With `models` each attempt that was
 * sent back asks the next one.
 *
 * @param name Unique in its phase.
 * @throws PhasegateError `DEFINITION_INVALID` where no model is named, the prices lack it, or JSON Schema cannot say the schema.
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
 * A reviewer that is a model, for `review` or in `by`. It answers with a verdict as JSON, which becomes a decision:
 * `approved` approves, `needs_changes` and `retry` send the phase back with the required change, `escalate` and `reject` do
 * what they say. How sure it is counts for `minConfidence`, its score for `onExhausted: 'acceptBest'`.
 *
 * An answer that is no such verdict is a review error: the gate asks again, and neither approves nor rejects. What is under review is
 * set apart by a delimiter, and the verdict has to repeat a nonce; both are made at random for each question. With `models` each attempt is
 * judged by the next one; those in `fallback` judge where a model cannot be had.
 *
 * @param name Unique among the reviewers of its phase.
 * @throws PhasegateError `DEFINITION_INVALID` where there are no criteria, no model is named, or the prices lack it.
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
      hint: "Say what the work has to be like: openaiReviewer('editor', { model, criteria: 'It names a number.' }).",
    });
  }
  return modelReviewer(name, callersOf(name, options), options);
}

/**
 * A reflect call that a model makes, for `reflect` of a review. It is shown what the tasks were asked, what they have put out, what was
 * said against it, and what was learned before, and says what to do otherwise. That text is told to the next attempt.
 *
 * @param name Unlike those of the tasks of its phase.
 * @throws PhasegateError `DEFINITION_INVALID` where no model is named, or the prices lack it.
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
