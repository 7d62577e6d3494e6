/**
 * Models as tasks and reviewers, and for reflection on rejected work. It needs the package `openai`, unless the caller passes a
 * function that calls the model.
 *
 * @module
 */
export {
  openaiReflection,
  openaiReviewer,
  openaiTask,
  type OpenAIReflectionOptions,
  type OpenAIReviewerOptions,
  type OpenAITaskOptions,
} from './openai/define.ts';
export type {
  Fallback,
  Ladder,
  OpenAIClient,
  OpenAILadder,
  OpenAIModel,
  OtherLadder,
  OtherModel,
} from './openai/options.ts';
export type { AnswerSchema, Ask, AskReply, AskRequest, FinishReason, Message, Usage } from './llm/call/port.ts';
export type { Price, Prices } from './llm/call/prices.ts';
export type { ModelReflectionFields } from './llm/work/reflection.ts';
export type { ModelReviewerFields } from './llm/review/reviewer.ts';
export type { ModelTaskFields } from './llm/work/task.ts';
export type { Task } from './model/handlers/task.ts';
