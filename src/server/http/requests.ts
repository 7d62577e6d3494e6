/**
 * Strict parsing of requests.
 *
 * @module
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { SearchPosition } from '../../runtime/records/search-runs.ts';
import { replySchema } from '../../projections/inbox/reply.ts';
import { RequestRefused } from './error-response.ts';
import type { Env } from './env.ts';

/** The schemas of the bodies. */
export const answerRequest = z.strictObject({ nonce: z.string(), reply: replySchema });
export const cancelRequest = z.strictObject({ reason: z.string().trim().min(1).optional() });
export const startRequest = z.strictObject({
  pipeline: z.string(),
  runId: z.string(),
  input: z.unknown().optional(),
  tags: z.array(z.string()).optional(),
  begin: z.boolean().optional(),
});
export const forkRequest = z.strictObject({
  at: z.union([z.int().min(1), z.strictObject({ phase: z.string() })]),
  run: z.boolean().optional(),
});

/** Reads and validates the body. @throws PhasegateError `INPUT_INVALID`; `REQUEST_REFUSED` if it is too long */
export async function readBody<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<T> {
  const item = c.req.param('item');
  const hint = item === undefined ? undefined : `Answer with phasegate inbox answer ${item} --edit <file>.`;
  const text = await readText(c.req.raw.body, hint);
  const parsed = schema.safeParse(parse(text === '' ? '{}' : text));
  if (parsed.success) return parsed.data;
  throw invalid(`Cannot read the request as its body is not valid:\n${z.prettifyError(parsed.error)}`);
}

/** Reads a whole number above 0 from the query. @throws PhasegateError `INPUT_INVALID` */
export function readCount(c: Context<Env>, name: string, otherwise: number): number {
  const text = c.req.query(name);
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,14}$/u.test(text)) return Number(text);
  throw invalid(`Cannot read the request as ${name} must be a whole number above 0`);
}

/** The number of the last record that a reader has, which browsers send when they reconnect. 0 if they send none. */
export function readLastEventId(c: Context<Env>): number {
  const text = c.req.header('last-event-id') ?? '';
  return /^[1-9]\d{0,14}$/u.test(text) ? Number(text) : 0;
}

/** Reads the ids of some runs. @throws PhasegateError `INPUT_INVALID` if there are more than 100 */
export function readIds(c: Context<Env>): readonly string[] {
  const ids = c.req.queries('id') ?? [];
  if (ids.length <= MOST_IDS) return ids;
  throw invalid(`Cannot read the request as it names more than ${MOST_IDS} runs`);
}

/** Reads the position from which a search goes on: afterRun= and afterSeq=. @throws PhasegateError `INPUT_INVALID` */
export function readPosition(c: Context<Env>): SearchPosition | undefined {
  const runId = c.req.query('afterRun');
  return runId === undefined ? undefined : { runId, seq: readCount(c, 'afterSeq', 0) };
}

/** A run in a stream of changes. */
export interface Position {
  readonly runId: string;
  /** The number of the last record that the reader has. */
  readonly known: number;
  /** The text after the names of its events; `undefined` for none. */
  readonly name?: string | undefined;
}

/** Reads the runs of a stream of changes: one by run=, or several by each=. @throws PhasegateError `INPUT_INVALID` */
export function readPositions(c: Context<Env>): readonly Position[] {
  const each = c.req.queries('each') ?? [];
  if (each.length > MOST_RUNS) throw invalid(`Cannot read the request as it names more than ${MOST_RUNS} runs`);
  const after = c.req.queries('after') ?? [];
  if (each.length > 0) {
    return each.map((runId, at) => ({ runId, known: positionIn(after[at]), name: encodeURIComponent(runId) }));
  }
  const runId = c.req.query('run');
  return runId === undefined ? [] : [{ runId, known: Math.max(readLastEventId(c), readCount(c, 'after', 0)) }];
}

// --- internal ---

const MOST_IDS = 100;

/** Most runs in one stream: more windows than a person looks at. */
const MOST_RUNS = 32;

function positionIn(text = ''): number {
  if (/^(?:0|[1-9]\d{0,14})$/u.test(text)) return Number(text);
  throw invalid('Cannot read the request as each run needs a number in after');
}

/** The longest body in bytes; and how much of a longer one is still read, so that its sender can read the response. */
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
    // The sender has disconnected, which is no error of the server.
    throw new RequestRefused(400, 'Cannot read the request as its body is incomplete');
  }
  if (size <= LONGEST_BODY) return text + decoder.decode();
  throw new RequestRefused(413, `Cannot read the request as its body must have at most ${LONGEST_BODY} bytes`, hint);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('Cannot read the request as its body is not JSON');
  }
}

function invalid(problem: string): PhasegateError {
  return new PhasegateError('INPUT_INVALID', problem);
}
