/**
 * Records of one run in the state of its object: a small head, and chunks of records.
 *
 * @module
 */
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import type { RunRecord } from '../model/events/event.ts';
import type { HeldTry } from '../runtime/steps/held-tries.ts';
import type { KeptAnswers } from '../runtime/steps/session-work.ts';
import type { WantedChild } from '../runtime/steps/session-children.ts';
import type { SentWork } from '../runtime/steps/sent-work.ts';

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

/** Reads all records. */
export async function readRecords(ctx: ObjectSharedContext, { chunks }: RunHead): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  for (let chunk = 1; chunk <= chunks; chunk++)
    records.push(...((await ctx.get<readonly RunRecord[]>(keyOf(chunk))) ?? []));
  return records;
}

/** Appends records. @returns The new number of chunks. */
export async function appendRecords(ctx: ObjectContext, chunks: number, made: readonly RunRecord[]): Promise<number> {
  let last = Math.max(1, chunks);
  let chunk: RunRecord[] = [...((await ctx.get<readonly RunRecord[]>(keyOf(last))) ?? [])];
  let size = JSON.stringify(chunk).length;
  for (const record of made) {
    const length = JSON.stringify(record).length;
    if (chunk.length > 0 && (chunk.length >= MOST_RECORDS || size + length > MOST_CHARACTERS)) {
      ctx.set(keyOf(last), chunk);
      last += 1;
      chunk = [];
      size = 0;
    }
    chunk.push(record);
    size += length;
  }
  ctx.set(keyOf(last), chunk);
  return last;
}

/** Writes the head. */
export function writeHead(ctx: ObjectContext, head: RunHead): void {
  ctx.set('head', head);
}

// --- internal ---

const MOST_RECORDS = 50;
const MOST_CHARACTERS = 64_000;

function keyOf(chunk: number): string {
  return `records:${chunk}`;
}
