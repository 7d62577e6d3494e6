/**
 * Chat Completions.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import type { AskReply, AskRequest, FinishReason, Usage } from '../llm/port.ts';
import { cutOff } from './failure.ts';
import type { OpenAIModel } from './options.ts';

/** Asks by Chat Completions, streamed. */
export async function askChat(client: OpenAI, options: OpenAIModel, request: AskRequest): Promise<AskReply> {
  const { model, params, structured = true } = options;
  const { messages, schema, signal, onDelta } = request;
  const stream = await client.chat.completions.create(
    {
      ...params,
      model,
      messages: messages.map(({ role, content }) => ({ role, content })),
      stream: true,
      stream_options: { include_usage: true },
      ...(schema && structured && { response_format: { type: 'json_schema', json_schema: { ...schema } } }),
    },
    { signal },
  );
  let text = '';
  let refusal = '';
  let end: string | undefined;
  let usage: Usage | undefined;
  for await (const chunk of stream) {
    if (chunk.usage) usage = usageOf(chunk.usage);
    // Compatible servers leave out what is empty, whatever the types say.
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    refusal += choice.delta?.refusal ?? '';
    const piece = choice.delta?.content ?? '';
    if (piece !== '') onDelta(piece);
    text += piece;
    end = choice.finish_reason ?? end;
  }
  if (end === undefined) throw cutOff(model);
  if (refusal !== '') return { text: refusal, usage, finishReason: 'refusal' };
  return { text, usage, finishReason: finishOf(end) };
}

// --- internal ---

function usageOf(usage: OpenAI.CompletionUsage): Usage {
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens,
  };
}

function finishOf(reason: string): FinishReason {
  if (reason === 'length') return 'length';
  return reason === 'content_filter' ? 'filtered' : 'stop';
}
