/**
 * The body of a response: a stream of events, or one value.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import { answerTooLong } from '../llm/call/answer-limit.ts';
import { createPieceMask, maskKnown } from '../model/values/known-secrets.ts';
import { bodyFailure } from './failure.ts';

/** The content of a response. Secrets of the client are masked in it. */
export type Body<E> = { readonly events: AsyncIterable<E> } | { readonly whole: unknown };

/** Origin of a body, and its limits. */
export interface BodyOptions {
  readonly client: OpenAI;
  readonly model: string;
  /** True if a stream was requested. */
  readonly stream: boolean;
  /** Aborts the request. */
  readonly controller: AbortController;
  /** Most characters of the answer. */
  readonly maxAnswerChars: number;
}

/**
 * Reads a body by its content type, which may differ from the requested one.
 *
 * @throws `MODEL_FAILED` for a body that is neither a stream of events nor an answer, `TEXT_TOO_LONG` for one that exceeds every valid answer.
 */
export async function readBody<E>(response: Response, options: BodyOptions): Promise<Body<E>> {
  const { client, model, stream, controller } = options;
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('event-stream') || (stream && !/json|html/iu.test(type))) {
    const { Stream } = await import('openai/streaming');
    return { events: Stream.fromSSEResponse<E>(masked(response, options), controller, client) };
  }
  const text = maskKnown(await boundedText(response, options));
  const whole = valueOf(text);
  if (typeof whole !== 'object' || whole === null) throw bodyFailure(model, { text });
  const error: unknown = Reflect.get(whole, 'error');
  if (error !== undefined && error !== null) throw bodyFailure(model, { error });
  return { whole };
}

// --- internal ---

/** Most bytes of a body in one piece, and of one event. That fits the longest answer with every character escaped, and its metadata. */
function mostBytes({ maxAnswerChars }: Pick<BodyOptions, 'maxAnswerChars'>): number {
  return 6 * maxAnswerChars + 2_000_000;
}

/** The response with secrets masked, even if they are split over chunks. It fails if one event exceeds the limit. */
function masked(response: Response, options: BodyOptions): Response {
  const mask = createPieceMask();
  const limit = eventLimit(options);
  const masking = new TransformStream<string, string>({
    transform(chunk, out) {
      limit(chunk);
      out.enqueue(mask.push(chunk));
    },
    flush: (out) => out.enqueue(mask.end()),
  });
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(masking)
    .pipeThrough(new TextEncoderStream());
  return new Response(body ?? null, { headers: response.headers, status: response.status });
}

/** Counts the characters since the last empty line, which ends an event. @throws `TEXT_TOO_LONG` */
function eventLimit(options: BodyOptions): (chunk: string) => void {
  const most = mostBytes(options);
  let length = 0;
  let tail = '';
  return (chunk) => {
    const text = tail + chunk;
    const end = Math.max(...EMPTY_LINES.map((line) => text.lastIndexOf(line)));
    length = end === -1 ? length + chunk.length : text.length - end;
    tail = text.slice(-3);
    if (length > most) throw tooLong(options);
  };
}

/** A line end followed by an empty line, in all variants. */
const EMPTY_LINES = ['\n\n', '\r\r', '\n\r\n'];

function tooLong({ model, maxAnswerChars }: BodyOptions) {
  return answerTooLong(`model "${model}"`, maxAnswerChars);
}

async function boundedText(response: Response, options: BodyOptions): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes(options)) {
      options.controller.abort();
      throw tooLong(options);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
