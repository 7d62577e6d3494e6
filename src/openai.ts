/**
 * Models as tasks and as reviewers. The package `openai` is needed where no function of one's own asks the model.
 *
 * @module
 */
export { openaiReviewer, openaiTask, type OpenAIReviewerOptions, type OpenAITaskOptions } from './openai/define.ts';
export type { OpenAIModel, OtherModel } from './openai/options.ts';
export type { AnswerSchema, Ask, AskReply, AskRequest, FinishReason, Message, Usage } from './llm/port.ts';
export type { Price, Prices } from './llm/prices.ts';
export type { ModelReviewerFields } from './llm/reviewer.ts';
export type { ModelTaskFields } from './llm/task.ts';
