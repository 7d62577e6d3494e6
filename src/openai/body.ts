/**
 * The body of an answer: events as they come, or one value.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import { answerTooLong } from '../llm/call/answer-limit.ts';
import { createPieceMask, maskKnown } from '../model/values/known-secrets.ts';
import { bodyFailure } from './failure.ts';

/** What a server has sent. Secrets of the client are masked in it. */
export type Body<E> = { readonly events: AsyncIterable<E> } | { readonly whole: unknown };

/** Whose body it is, and how it was asked for. */
export interface BodyOptions {
  readonly client: OpenAI;
  readonly model: string;
  /** Whether a stream was asked for. */
  readonly stream: boolean;
  /** Ends the request. */
  readonly controller: AbortController;
  /** Characters of the answer that are taken at most. */
  readonly maxAnswerChars: number;
}

/**
 * Reads what the server says that it sends, which need not be what it was asked for.
 *
 * @throws `MODEL_FAILED` for a body that is neither events nor an answer, `TEXT_TOO_LONG` for one that is longer than any answer.
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

/** Longest body in one piece, and longest event, in bytes: an answer of the longest kind, with every character escaped, and what goes with it. */
function mostBytes({ maxAnswerChars }: Pick<BodyOptions, 'maxAnswerChars'>): number {
  return 6 * maxAnswerChars + 2_000_000;
}

/** The same response, with secrets masked also where they are split over chunks. It fails where one event goes on and on. */
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

/** The end of a line, and an empty one. */
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
