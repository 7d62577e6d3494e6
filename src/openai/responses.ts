/**
 * The Responses API.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import type { AskReply, AskRequest, FinishReason, Usage } from '../llm/port.ts';
import { cutOff, streamFailure } from './failure.ts';
import type { OpenAIModel } from './options.ts';

/** Asks by the Responses API, streamed. The server is told to keep nothing. */
export async function askResponses(client: OpenAI, options: OpenAIModel, request: AskRequest): Promise<AskReply> {
  const { model, params, structured = true } = options;
  const { messages, schema, signal, onDelta } = request;
  const stream = await client.responses.create(
    {
      store: false,
      ...params,
      model,
      input: messages.map(({ role, content }) => ({ role, content })),
      stream: true,
      ...(schema && structured && { text: { ...textOf(params), format: { type: 'json_schema', ...schema } } }),
    },
    { signal },
  );
  let text = '';
  let refusal = '';
  let end: OpenAI.Responses.Response | undefined;
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') {
      onDelta(event.delta);
      text += event.delta;
    } else if (event.type === 'response.refusal.delta') refusal += event.delta;
    else if (event.type === 'response.completed' || event.type === 'response.incomplete') end = event.response;
    else if (event.type === 'error') throw streamFailure(model, event.code, event.message);
    else if (event.type === 'response.failed') {
      const { code, message } = event.response.error ?? { code: null, message: 'it does not say why' };
      throw streamFailure(model, code, message);
    }
  }
  if (!end) throw cutOff(model);
  const usage = usageOf(end.usage);
  if (refusal !== '') return { text: refusal, usage, finishReason: 'refusal' };
  return { text, usage, finishReason: finishOf(end) };
}

// --- internal ---

/** What else is asked of the text, such as its `verbosity`. */
function textOf(params: OpenAIModel['params']): object {
  const text = params?.['text'];
  return typeof text === 'object' && text !== null ? text : {};
}

function usageOf(usage: OpenAI.Responses.ResponseUsage | undefined | null): Usage | undefined {
  if (!usage) return undefined;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cachedInputTokens: usage.input_tokens_details?.cached_tokens,
  };
}

function finishOf({ status, incomplete_details: details }: OpenAI.Responses.Response): FinishReason {
  if (status !== 'incomplete') return 'stop';
  return details?.reason === 'content_filter' ? 'filtered' : 'length';
}
