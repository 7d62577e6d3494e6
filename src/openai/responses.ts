/**
 * Requests to the Responses API.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import { z } from 'zod';
import { answerTooLong } from '../llm/call/answer-limit.ts';
import type { AskReply, AskRequest, Usage } from '../llm/call/port.ts';
import { TEXT_LIMITS } from '../model/values/text-limits.ts';
import { bodyFailure, cutOff, streamFailure } from './failure.ts';
import type { OpenAIModel } from './options.ts';
import { isRecord, partsText, send } from './send.ts';

/** Asks a model with the Responses API. The request disables storage on the server. */
export async function askResponses(client: OpenAI, options: OpenAIModel, request: AskRequest): Promise<AskReply> {
  const { model, params, structured = true, stream = true } = options;
  const { messages, schema, onDelta, onUsage, maxAnswerChars = TEXT_LIMITS.modelAnswer } = request;
  const { stream_options: _, ...whole } = params ?? {};
  const body = await send<OpenAI.Responses.ResponseStreamEvent>({ client, options, request }, (sending) =>
    client.responses.create(
      {
        store: false,
        ...(stream ? params : whole),
        model,
        input: messages.map(({ role, content }) => ({ role, content })),
        stream,
        ...(schema && structured && { text: { ...textOf(params), format: { type: 'json_schema', ...schema } } }),
      },
      sending,
    ),
  );
  if ('whole' in body) return readResponse(body.whole, model);
  let text = '';
  let refusal = '';
  let end: Ended | undefined;
  for await (const event of body.events) {
    if (event.type === 'response.output_text.delta') {
      onDelta(event.delta);
      text += event.delta;
    } else if (event.type === 'response.refusal.delta') {
      refusal += event.delta;
      if (refusal.length > maxAnswerChars) throw answerTooLong(`model "${model}"`, maxAnswerChars);
    } else if (event.type === 'response.completed' || event.type === 'response.incomplete') end = event.response;
    else if (event.type === 'error') throw streamFailure(model, event.code, event.message);
    else if ('response' in event) {
      // OpenAI states usage at the end only; compatible servers may state it in any event of the response.
      const { usage } = event.response ?? {};
      if (usage) onUsage(usageOf(usage));
      if (event.type === 'response.failed') throw failureOf(event.response, model);
    }
  }
  if (!end) throw cutOff(model);
  return replyOf(end, { text, refusal });
}

// --- internal ---

/** The end of an answer; compatible servers omit some fields. */
interface Ended {
  readonly status?: string | null | undefined;
  readonly incomplete_details?: { readonly reason?: string | null | undefined } | null | undefined;
  readonly usage?: Partial<OpenAI.Responses.ResponseUsage> | null | undefined;
}

/** An answer in one piece. */
const wholeSchema = z.object({
  status: z.string().nullish(),
  output: z.array(z.object({ type: z.string().nullish(), content: z.unknown().optional() })),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  usage: z.unknown().optional(),
});

function readResponse(whole: unknown, model: string): AskReply {
  const read = wholeSchema.safeParse(whole);
  if (!read.success) throw bodyFailure(model, { text: JSON.stringify(whole) ?? '' });
  const { status, output, incomplete_details: details, usage } = read.data;
  const parts = output.flatMap(({ type, content }): readonly unknown[] =>
    type === 'message' && Array.isArray(content) ? content : [],
  );
  const refusal = parts.map(refusalOf).join('');
  const end = { status, incomplete_details: details, usage: isRecord(usage) ? usage : undefined };
  return replyOf(end, { text: partsText(parts), refusal });
}

function refusalOf(part: unknown): string {
  const refusal: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'refusal') : undefined;
  return typeof refusal === 'string' ? refusal : '';
}

function replyOf(end: Ended, { text, refusal }: { readonly text: string; readonly refusal: string }): AskReply {
  const usage = end.usage ? usageOf(end.usage) : undefined;
  if (refusal !== '') return { text: refusal, usage, finishReason: 'refusal' };
  return { text, usage, finishReason: reasonOf(end) };
}

function failureOf({ error }: OpenAI.Responses.Response, model: string) {
  const { code, message } = error ?? { code: null, message: 'it does not say why' };
  return streamFailure(model, code, message);
}

/** Text options of the request, such as its `verbosity`. */
function textOf(params: OpenAIModel['params']): object {
  const text = params?.['text'];
  return typeof text === 'object' && text !== null ? text : {};
}

/** Renames the fields of a usage; `readUsage` validates them. */
function usageOf(usage: Partial<OpenAI.Responses.ResponseUsage>): Usage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    cachedInputTokens: usage.input_tokens_details?.cached_tokens,
  };
}

function reasonOf({ status, incomplete_details: details }: Ended): string {
  if (status === 'incomplete') return details?.reason ?? 'incomplete';
  return status ?? 'completed';
}
