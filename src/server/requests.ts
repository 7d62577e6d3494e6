/**
 * What requests say, read strictly.
 *
 * @module
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { replySchema } from '../projections/inbox/reply.ts';
import { RequestRefused } from './error-response.ts';
import type { Env } from './guard.ts';

/** The schemas of the bodies. */
export const answerRequest = z.strictObject({ nonce: z.string(), reply: replySchema });
export const cancelRequest = z.strictObject({ reason: z.string().trim().min(1).optional() });
export const forkRequest = z.strictObject({
  at: z.union([z.int().min(1), z.strictObject({ phase: z.string() })]),
  run: z.boolean().optional(),
});

/** @throws PhasegateError `INPUT_INVALID`, `REQUEST_REFUSED` where it is too long */
export async function readBody<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<T> {
  const item = c.req.param('item');
  const hint = item === undefined ? undefined : `Answer with phasegate inbox answer ${item} --edit <file>.`;
  const text = await readText(c.req.raw.body, hint);
  const parsed = schema.safeParse(parse(text === '' ? '{}' : text));
  if (parsed.success) return parsed.data;
  throw invalid(`Cannot read the request as it is not what was expected:\n${z.prettifyError(parsed.error)}`);
}

/** A whole number above 0 in the query. @throws PhasegateError `INPUT_INVALID` */
export function readCount(c: Context<Env>, name: string, otherwise: number): number {
  const text = c.req.query(name);
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,14}$/u.test(text)) return Number(text);
  throw invalid(`Cannot read the request as ${name} is no whole number above 0`);
}

/** The number of the last record that a reader has, as browsers say it when they connect again; 0 where they do not. */
export function readLastEventId(c: Context<Env>): number {
  const text = c.req.header('last-event-id') ?? '';
  return /^[1-9]\d{0,14}$/u.test(text) ? Number(text) : 0;
}

// --- internal ---

/** Bytes of a body, and how many of one that is too long are still read, so that whoever sends it reads the answer. */
const LONGEST_BODY = 1_000_000;
const MOST_READ = 16 * LONGEST_BODY;

async function readText(body: ReadableStream<Uint8Array> | null, hint: string | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  try {
    for await (const part of body ?? []) {
      size += part.length;
      if (size > MOST_READ) break;
      if (size <= LONGEST_BODY) text += decoder.decode(part, { stream: true });
    }
  } catch {
    // Whoever has sent it has hung up, which nobody else has to know.
    throw new RequestRefused(400, 'Cannot read the request as its body has broken off');
  }
  if (size <= LONGEST_BODY) return text + decoder.decode();
  throw new RequestRefused(413, `Cannot read the request as its body has more than ${LONGEST_BODY} bytes`, hint);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('Cannot read the request as its body is no JSON');
  }
}

function invalid(problem: string): PhasegateError {
  return new PhasegateError('INPUT_INVALID', problem);
}
