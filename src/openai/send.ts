/**
 * One request to a server, and the body of its response.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import type { AskRequest } from '../llm/call/port.ts';
import { TEXT_LIMITS } from '../model/values/text-limits.ts';
import { readBody, type Body } from './body.ts';
import { rememberHeaders } from './headers.ts';
import type { OpenAIModel } from './options.ts';

/** A request, with its client. */
export interface Sending {
  readonly client: OpenAI;
  readonly options: OpenAIModel;
  readonly request: AskRequest;
}

/** Options of a client's request. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly maxRetries: number;
  readonly timeout: number;
}

/** Sends a request and reads the response. Secrets are masked in it, including those that were created for this request. */
export async function send<E>(
  { client, options, request }: Sending,
  create: (options: RequestOptions) => { asResponse(): Promise<Response> },
): Promise<Body<E>> {
  const { model, stream = true } = options;
  const controller = new AbortController();
  const signal = AbortSignal.any([request.signal, controller.signal]);
  try {
    // The task does all retries, so that each one is recorded.
    const response = await create({ signal, maxRetries: 0, timeout: LONGEST }).asResponse();
    await rememberHeaders(client);
    const { maxAnswerChars = TEXT_LIMITS.modelAnswer } = request;
    return await readBody<E>(response, { client, model, stream, controller, maxAnswerChars });
  } catch (error) {
    await rememberHeaders(client);
    throw error;
  }
}

/** The text of a message's content: the content itself, or its parts that are text. */
export function partsText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => textOf(part)).join('');
}

export function isRecord(value: unknown): value is Readonly<Record<string, never>> {
  return typeof value === 'object' && value !== null;
}

// --- internal ---

/** Longest delay that timers support, as only the task's own timeout counts. */
const LONGEST = 2_147_483_647;

function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  const text: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : undefined;
  return typeof text === 'string' ? text : '';
}
