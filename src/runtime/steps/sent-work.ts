/**
 * Work that was sent to workers: which of it to begin, to continue, and to stop after a step.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { HeldTry } from './held-tries.ts';
import type { OutstandingWork } from './outstanding-work.ts';
import type { KeptAnswers } from './session-work.ts';
import type { ParkedWork } from './work-batch.ts';

/** Work that was sent. JSON. */
export interface SentWork {
  readonly token: string;
  /** Number of its current session, from 1. Facts of earlier ones are stale. */
  readonly session: number;
  /** Present while the work only waits, and no worker has it. */
  readonly parked?: ParkedWork | undefined;
}

/** A session to begin. */
export interface NewSession {
  readonly token: string;
  readonly session: number;
  /** Answers of reviewers in the session before; absent for the first session. */
  readonly kept?: KeptAnswers | undefined;
}

/** The next moves of a host, after a step. */
export interface Dispatch<S extends SentWork> {
  readonly begin: readonly NewSession[];
  /** Work that a worker has, and that nobody wants any more. */
  readonly stop: readonly S[];
  /** Work that stays as it was sent. */
  readonly keep: readonly S[];
  /** The end of the next pause, in milliseconds since 1970; `undefined` if nothing pauses. */
  readonly dueAt: number | undefined;
}

/** The run after a step. */
interface After {
  readonly work: readonly OutstandingWork[];
  readonly tries: readonly HeldTry[];
  /** Ids of runs of tasks that have ended. @default none */
  readonly ended?: readonly string[] | undefined;
}

/** Compares sent with outstanding work, after a step. @param records All records of the run. @param now Milliseconds since 1970. */
export function dispatchOf<S extends SentWork>(
  sent: readonly S[],
  { work, tries, ended = [] }: After,
  records: readonly RunRecord[],
  now: number,
): Dispatch<S> {
  const begin: NewSession[] = [];
  const keep: S[] = [];
  for (const { token, phase } of work) {
    const known = sent.find((one) => one.token === token);
    if (!known) begin.push({ token, session: 1 });
    else if (
      known.parked &&
      (hasRoom(known, tries) || hasEnd(known, ended) || isAwake(known.parked, phase, records, now))
    )
      begin.push({ token, session: known.session + 1, kept: known.parked.kept });
    else keep.push(known);
  }
  const wanted = new Set(work.map(({ token }) => token));
  const stop = sent.filter(({ token, parked }) => !wanted.has(token) && !parked);
  const pauses = keep.flatMap(({ parked }) => parked?.until ?? []);
  return { begin, stop, keep, dueAt: pauses.length === 0 ? undefined : Math.min(...pauses) };
}

// --- internal ---

/** True if parked work can go on: its pause is over, or a record came that a person has caused. */
function isAwake({ until, seen }: ParkedWork, phase: string, records: readonly RunRecord[], now: number): boolean {
  if (until !== null && until <= now) return true;
  return records.slice(seen).some(({ event }) => isAnswer(event, phase));
}

/** True if a try of parked work that has waited for room can begin. */
function hasRoom({ token, parked }: SentWork, tries: readonly HeldTry[]): boolean {
  return tries.some((one) => one.token === token && one.isGranted && parked?.rooms?.includes(one.task));
}

/** True if a run that parked work waits for has ended. */
function hasEnd({ parked }: SentWork, ended: readonly string[]): boolean {
  return parked?.children?.some((id) => ended.includes(id)) ?? false;
}

function isAnswer(event: RunEvent, phase: string): boolean {
  if (event.type === 'task.answered') return event.phase === phase;
  return event.type === 'item.changed' && event.change === 'expired';
}
