/**
 * Requests to Chat Completions.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import { z } from 'zod';
import { answerTooLong } from '../llm/call/answer-limit.ts';
import type { AskReply, AskRequest, Usage } from '../llm/call/port.ts';
import { TEXT_LIMITS } from '../model/values/text-limits.ts';
import { bodyFailure, cutOff } from './failure.ts';
import type { OpenAIModel } from './options.ts';
import { isRecord, partsText, send } from './send.ts';

/** Asks a model with Chat Completions. */
export async function askChat(client: OpenAI, options: OpenAIModel, request: AskRequest): Promise<AskReply> {
  const { model, params, structured = true, stream = true } = options;
  const { messages, schema, onDelta, onUsage, maxAnswerChars = TEXT_LIMITS.modelAnswer } = request;
  const { stream_options: streamed, ...whole } = params ?? {};
  const body = await send<OpenAI.ChatCompletionChunk>({ client, options, request }, (sending) =>
    client.chat.completions.create(
      {
        ...(stream ? params : whole),
        model,
        messages: messages.map(({ role, content }) => ({ role, content })),
        ...(stream
          ? { stream, stream_options: { include_usage: true, ...(isRecord(streamed) ? streamed : {}) } }
          : { stream }),
        ...(schema && structured && { response_format: { type: 'json_schema', json_schema: { ...schema } } }),
      },
      sending,
    ),
  );
  if ('whole' in body) return readCompletion(body.whole, model);
  let text = '';
  let refusal = '';
  let end: string | undefined;
  let usage: Usage | undefined;
  for await (const chunk of body.events) {
    if (chunk.usage) usage = usageOf(chunk.usage);
    // Compatible servers omit empty fields, although the types require them.
    const choice = chunk.choices?.[0];
    refusal += choice?.delta?.refusal ?? '';
    if (refusal.length > maxAnswerChars) throw answerTooLong(`model "${model}"`, maxAnswerChars);
    const piece = choice?.delta?.content ?? '';
    if (piece !== '') onDelta(piece);
    text += piece;
    end = choice?.finish_reason ?? end;
    // Usage that comes with the end is part of the reply.
    if (chunk.usage && usage && end === undefined) onUsage(usage);
  }
  if (end === undefined) throw cutOff(model);
  return replyOf({ text, refusal, end, usage });
}

// --- internal ---

interface Ended {
  readonly text: string;
  readonly refusal: string;
  readonly end: string;
  readonly usage: Usage | undefined;
}

function replyOf({ text, refusal, end, usage }: Ended): AskReply {
  return refusal === '' ? { text, usage, finishReason: end } : { text: refusal, usage, finishReason: 'refusal' };
}

/** An answer in one piece. Compatible servers omit fields. */
const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.unknown().optional(), refusal: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
});

function readCompletion(whole: unknown, model: string): AskReply {
  const read = completionSchema.safeParse(whole);
  const choice = read.data?.choices?.[0];
  if (!choice) throw bodyFailure(model, { text: JSON.stringify(whole) ?? '' });
  const { message, finish_reason: end } = choice;
  if (typeof end !== 'string') throw cutOff(model);
  const usage = isRecord(read.data?.usage) ? usageOf(read.data.usage) : undefined;
  return replyOf({ text: partsText(message?.content), refusal: message?.refusal ?? '', end, usage });
}

/** Renames the fields of a usage; `readUsage` validates them. */
function usageOf(usage: Partial<OpenAI.CompletionUsage>): Usage {
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    totalTokens: usage.total_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens,
  };
}
