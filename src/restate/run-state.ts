/**
 * Records of one run in the state of its object: a small head, and chunks of records.
 *
 * @module
 */
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import type { RunRecord } from '../model/events/event.ts';
import { packRecord, unpackRecord, type PackedRecord } from '../model/events/large-values.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { HeldTry } from '../runtime/steps/held-tries.ts';
import type { KeptAnswers } from '../runtime/steps/session-work.ts';
import type { WantedChild } from '../runtime/steps/session-children.ts';
import type { SentWork } from '../runtime/steps/sent-work.ts';
import { bytesOf } from './run-size.ts';

/** Work that was sent to a worker. */
export interface SentAttempt extends SentWork {
  /** Id of the invocation that does it. */
  readonly invocation: string;
  /** Answers of reviewers in the session before; absent for the first session. */
  readonly kept?: KeptAnswers | undefined;
}

/** A run that a task has started. */
export interface ChildLink {
  readonly id: string;
  /** The token of the work that waits for it. */
  readonly token: string;
  readonly task: string;
  readonly isEnded: boolean;
  /** Present until it is started. */
  readonly wanted?: WantedChild | undefined;
}

/** The run whose task has started one, and the token of that work. */
export interface ParentLink {
  readonly run: string;
  readonly token: string;
}

/** The head of a run. */
export interface RunHead {
  /** Name of the pipeline. */
  readonly pipeline: string;
  /** Number of records. */
  readonly seq: number;
  /** Number of chunks. */
  readonly chunks: number;
  /** Number of bytes of records, values and ends of children, in UTF-8. */
  readonly bytes: number;
  readonly sent: readonly SentAttempt[];
  /** Tries that have room in the limits of the run, or wait for it. */
  readonly tries: readonly HeldTry[];
  /** Runs that its tasks have started, as long as their work is outstanding. @default none */
  readonly children?: readonly ChildLink[] | undefined;
  readonly parent?: ParentLink | undefined;
  /** Time of the next tick, in milliseconds since 1970; `null` if none is sent. */
  readonly tickAt: number | null;
}

/** Reads the head; `null` if the run has not started. */
export function readHead(ctx: ObjectSharedContext): Promise<RunHead | null> {
  return ctx.get<RunHead>('head');
}

/** Reads all records, with their values. */
export async function readRecords(ctx: ObjectSharedContext, { chunks }: RunHead): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  for (let chunk = 1; chunk <= chunks; chunk++) {
    for (const record of (await ctx.get<readonly PackedRecord[]>(chunkKey(chunk))) ?? [])
      records.push(await unpackRecord(record, (hash) => valueOf(ctx, hash)));
  }
  return records;
}

/**
 * Appends records. A large value is kept once, apart from the chunks, so that no later record writes it again.
 *
 * @returns The new number of chunks, and of bytes.
 */
export async function appendRecords(
  ctx: ObjectContext,
  { chunks, bytes: known }: RunHead,
  made: readonly RunRecord[],
): Promise<Pick<RunHead, 'chunks' | 'bytes'>> {
  let last = Math.max(1, chunks);
  let bytes = known;
  let chunk: PackedRecord[] = [...((await ctx.get<readonly PackedRecord[]>(chunkKey(last))) ?? [])];
  let size = bytesOf(chunk);
  for (const { record, artifacts } of made.map(packRecord)) {
    for (const { hash, content } of artifacts) {
      if ((await ctx.get<string>(valueKey(hash))) !== null) continue;
      ctx.set(valueKey(hash), content);
      bytes += bytesOf(content);
    }
    const length = bytesOf(record);
    if (chunk.length > 0 && (chunk.length >= MOST_RECORDS || size + length > MOST_CHUNK_BYTES)) {
      ctx.set(chunkKey(last), chunk);
      last += 1;
      chunk = [];
      size = 0;
    }
    chunk.push(record);
    size += length;
    bytes += length;
  }
  ctx.set(chunkKey(last), chunk);
  return { chunks: last, bytes };
}

/** Writes the head. */
export function writeHead(ctx: ObjectContext, head: RunHead): void {
  ctx.set('head', head);
}

// --- internal ---

const MOST_RECORDS = 50;
const MOST_CHUNK_BYTES = 64_000;

function chunkKey(chunk: number): string {
  return `records:${chunk}`;
}

function valueKey(hash: string): string {
  return `value:${hash}`;
}

async function valueOf(ctx: ObjectSharedContext, hash: string): Promise<string> {
  const content = await ctx.get<string>(valueKey(hash));
  if (content !== null) return content;
  throw new PhasegateError(
    'STORE_UNREADABLE',
    `Cannot read run ${ctx.key} as its state on Restate lacks value ${hash}`,
  );
}
