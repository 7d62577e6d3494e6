/**
 * One request to a server, and the body of its answer.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import type { AskRequest } from '../llm/call/port.ts';
import { TEXT_LIMITS } from '../model/values/text-limits.ts';
import { readBody, type Body } from './body.ts';
import { rememberHeaders } from './headers.ts';
import type { OpenAIModel } from './options.ts';

/** Who asks, and what. */
export interface Sending {
  readonly client: OpenAI;
  readonly options: OpenAIModel;
  readonly request: AskRequest;
}

/** Options of a request of the client. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly maxRetries: number;
  readonly timeout: number;
}

/** Sends a request and reads what comes, masked, once the secrets that were sent are known. */
export async function send<E>(
  { client, options, request }: Sending,
  create: (options: RequestOptions) => { asResponse(): Promise<Response> },
): Promise<Body<E>> {
  const { model, stream = true } = options;
  const controller = new AbortController();
  const signal = AbortSignal.any([request.signal, controller.signal]);
  try {
    // Tries are the task's, so that each is on record and none is hidden.
    const response = await create({ signal, maxRetries: 0, timeout: LONGEST }).asResponse();
    await rememberHeaders(client);
    const { maxAnswerChars = TEXT_LIMITS.modelAnswer } = request;
    return await readBody<E>(response, { client, model, stream, controller, maxAnswerChars });
  } catch (error) {
    await rememberHeaders(client);
    throw error;
  }
}

/** The text of a content: a text, or parts of which some are texts. */
export function partsText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => textOf(part)).join('');
}

export function isRecord(value: unknown): value is Readonly<Record<string, never>> {
  return typeof value === 'object' && value !== null;
}

// --- internal ---

/** Longest delay that timers keep: the task's own timeout is the one that counts. */
const LONGEST = 2_147_483_647;

function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  const text: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : undefined;
  return typeof text === 'string' ? text : '';
}
