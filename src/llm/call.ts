/**
 * One question to a model on behalf of a task or a reviewer: progress, usage, and whether the answer is whole.
 *
 * @module
 */
import { z } from 'zod';
import type { Report, TaskContext } from '../model/task-types.ts';
import { unusable } from './model-error.ts';
import type { Ask, AskReply, AskRequest } from './port.ts';
import { costOf, type Price } from './prices.ts';
import { createProgress } from './progress.ts';

/** A model and what it costs. */
export interface Caller {
  readonly ask: Ask;
  readonly price: Price | undefined;
  /** What it is called, as far as known. */
  readonly model?: string | undefined;
  /** Who serves it, as far as known. */
  readonly provider?: string | undefined;
}

/** What is asked, and whether another try by the task itself may help where the answer is empty. */
export interface Question extends Pick<AskRequest, 'messages' | 'schema'> {
  readonly retryEmpty: boolean;
}

/**
 * Asks, and reports usage whatever the answer is worth.
 *
 * @returns The text of an answer that is whole and not empty.
 * @throws `MODEL_ANSWER_INVALID` where it is not; what the model's function throws.
 */
export async function callModel(
  { ask, price, model, provider }: Caller,
  { messages, schema, retryEmpty }: Question,
  { phase, task, attempt, signal, report }: Pick<TaskContext, 'phase' | 'task' | 'attempt' | 'signal' | 'report'>,
): Promise<string> {
  const who = `"${task}" of phase "${phase}"`;
  const onDelta = createProgress(who, attempt, report);
  const given: unknown = await ask({ model, messages, schema, signal, onDelta });
  const parsed = replySchema.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
    throw unusable(who, `\`ask\` returned something else than { text, usage?, finishReason? }: ${lines.join('; ')}`, {
      hint: 'Return the whole text of the answer, and `usage` in tokens.',
      retryable: false,
    });
  }
  const reply: AskReply = parsed.data;
  if (reply.usage) report({ ...usageReport(reply.usage, price), model, provider });
  return wholeText(reply, who, retryEmpty);
}

// --- internal ---

const tokens = z.number().min(0);

const replySchema = z.object({
  text: z.string(),
  usage: z.object({ inputTokens: tokens, outputTokens: tokens, cachedInputTokens: tokens.optional() }).optional(),
  finishReason: z.enum(['stop', 'length', 'refusal', 'filtered']).optional(),
});

function usageReport(usage: NonNullable<AskReply['usage']>, price: Price | undefined): Report {
  const { inputTokens, outputTokens } = usage;
  return {
    tokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
    ...(price && { costUsd: costOf(usage, price) }),
  };
}

function wholeText({ text, finishReason = 'stop' }: AskReply, who: string, retryEmpty: boolean): string {
  switch (finishReason) {
    case 'stop':
      if (text.trim() !== '') return text;
      throw unusable(who, 'it is empty', { hint: 'Ask again, or ask another model.', retryable: retryEmpty });
    case 'length':
      throw unusable(who, `it was cut off after ${text.length} characters`, {
        hint: 'Allow the model more tokens, or ask for less.',
        retryable: false,
      });
    case 'refusal':
      throw unusable(who, `the model refused: ${text.trim() === '' ? 'it does not say why' : text.trim()}`, {
        hint: 'Change what is asked, or ask another model.',
        retryable: false,
      });
    case 'filtered':
      throw unusable(who, 'a content filter has stopped it', {
        hint: 'Change what is asked, or ask another model.',
        retryable: false,
      });
  }
}
