/**
 * The one vocabulary of a run: everything it says, as a closed union.
 *
 * ```text
 *   PhaseReport (a phase tells its pipeline)  →  RunEvent (a run says)  →  RunRecord (numbered and timed)
 * ```
 *
 * Consumers read records and never the actors. A new member breaks every exhaustive `switch`, on purpose.
 *
 * @module
 */
import { z } from 'zod';
import type { Plan } from '../plan/plan.ts';
import {
  at,
  baselined,
  by,
  correction,
  error,
  limit,
  looped,
  outputs,
  readTasks,
  reflected,
  revision,
  taskEvents,
  verdict,
} from './event-schemas.ts';

const plan = z.custom<Plan>((value) => typeof value === 'object' && value !== null);

/** What a phase reports of its own life. */
const phaseEvents = [
  z.object({ type: z.literal('phase.started'), ...at, revision: revision.optional() }),
  z.object({ type: z.literal('review.started'), ...at, asked: z.int() }),
  /** The reviewers that are no people have answered: the review waits for people alone. Said if the gate has both. */
  z.object({ type: z.literal('review.waiting'), ...at }),
  /**
   * What the gate made of its checks and reviewers, or what a person decided; `verdicts` has each reviewer's own.
   * `checked` is true where the checks have passed and need not run again if the review is asked again.
   */
  z.object({
    type: z.literal('review.decided'),
    ...at,
    verdict,
    verdicts: z.record(z.string(), verdict),
    by,
    checked: z.literal(true).optional(),
    /** The checks that have failed, in their order, and what was found; absent where the verdict is not theirs. */
    failedChecks: z.array(z.object({ name: z.string(), details: z.string() })).optional(),
    /** Which person, as far as known. */
    who: z.string().optional(),
    /** Outputs that a person has put in the place of those of the attempt, by task. */
    edited: outputs.optional(),
  }),
  /** The attempt has put out what the one had that was sent back; `times` counts such attempts of the phase in a row, from 1. */
  z.object({ type: z.literal('attempt.unchanged'), ...at, times: z.int().min(1) }),
  z.object({ type: z.literal('phase.retrying'), ...at, correction, by, spent: z.int() }),
  z.object({
    type: z.literal('phase.rewinding'),
    ...at,
    target: z.string(),
    correction,
    by,
    spent: z.int(),
    /** Other phases that issues are about, and what each is told when it runs again. */
    riders: z.array(z.object({ phase: z.string(), correction })).optional(),
  }),
  looped,
  z.object({
    type: z.literal('phase.escalated'),
    ...at,
    because: z.enum(['requested', 'exhausted', 'loop', 'invalidTarget', 'reviewUnavailable', 'limit']),
    reason: z.string(),
  }),
  z.object({ type: z.literal('phase.rejected'), ...at, reason: z.string() }),
  z.object({ type: z.literal('phase.failed'), ...at, error }),
  z.object({ type: z.literal('phase.warned'), ...at, code: z.string(), message: z.string() }),
  baselined,
  reflected,
] as const;

const approval = {
  type: z.literal('phase.approved'),
  ...at,
  because: z.enum(['unreviewed', 'approved', 'exhausted', 'unrecognised', 'invalidTarget']),
  outputs,
};

const changes = { plan: plan.optional(), fingerprint: z.string().optional(), attended: z.boolean().optional() };

/** Milliseconds of work up to where another process left the run. */
const workedMs = z.number().min(0).optional();

/** What only the pipeline knows. */
const runEvents = [
  z.object({
    type: z.literal('run.started'),
    plan,
    fingerprint: z.string(),
    input: z.unknown(),
    /** The input before its schema has changed it: `input`, `nothing`, or a value. Absent if the run is not kept, or it was no JSON. */
    given: z.union([z.enum(['input', 'nothing']), z.object({ value: z.unknown() })]).optional(),
    /** Whether a person can be reached when a review cannot be had. */
    attended: z.literal(true).optional(),
    /** Whether the run is kept in a store, so that a person can answer later. */
    kept: z.literal(true).optional(),
    /** Whose memory the run shares; absent where it shares none. */
    memory: z.string().optional(),
    /** The edition of the rules that the run goes by; absent for the first. */
    edition: z.int().min(2).optional(),
    /** Whether `redact` has masked the input, so that it is not here as the handlers were given it. */
    masked: z.literal(true).optional(),
    /** When the fork was made, in milliseconds since 1970, and of how many records. Absent if the run is no fork. */
    forked: z.object({ at: z.number(), records: z.int().min(1) }).optional(),
  }),
  /** The process lets go of the run. Said of a run with `limits.durationMs`, as the time up to here is time of work. */
  z.object({ type: z.literal('run.suspended') }),
  /**
   * Another process goes on with the run. What it has other than before is there: the definition, and `attended`; `workedMs` if the
   * records before do not tell it.
   */
  z.object({ type: z.literal('run.resumed'), ...changes, workedMs }),
  /** A run that had ended goes on: what was not approved runs again. */
  z.object({ type: z.literal('run.reopened') }),
  /** A handler has asked for the outputs of an ancestor that is no direct predecessor: the phase depends on it from now on. */
  z.object({ type: z.literal('phase.read'), ...at, source: z.string() }),
  /** A task, or a reviewer, of an older generation has ended well when nobody waited for it any more: what it came to is dropped. */
  z.object({ type: z.literal('task.dropped'), ...at, task: z.string(), reviewer: z.boolean(), try: z.int() }),
  /**
   * The outputs are committed as `version`; `read` has the version of each phase whose outputs were read, and `readTasks`, of phases of
   * which not all was read, the tasks whose outputs were.
   */
  z.object({ ...approval, version: z.int(), read: z.record(z.string(), z.int()), readTasks: readTasks.optional() }),
  /** The phase read an output that has a newer version now, and is not run again. */
  z.object({ type: z.literal('phase.stale'), phase: z.string(), because: z.string() }),
  /** A phase that it read has a newer version that says the same, as far as it read it: that version counts as read from now on. */
  z.object({ type: z.literal('phase.unaffected'), phase: z.string(), source: z.string(), version: z.int() }),
  /** The phase must run again as a new generation, because an ancestor did. */
  z.object({ type: z.literal('phase.invalidated'), phase: z.string(), generation: z.int(), because: z.string() }),
  z.object({ type: z.literal('phase.skipped'), phase: z.string(), because: z.string(), who: z.string().optional() }),
  z.object({ type: z.literal('phase.cancelled'), phase: z.string(), because: z.string() }),
  /** A limit is spent. `holds` is the phase that waits for a person, `null` where the whole run ends or waits. */
  z.object({
    type: z.literal('limit.reached'),
    limit,
    used: z.number(),
    max: z.number(),
    holds: z.string().nullable(),
    /** The try that does not begin, as it may use more than what is left: its estimate; absent where nothing is left for any. */
    refused: z.object({ phase: z.string(), task: z.string(), estimate: z.number().optional() }).optional(),
  }),
  z.object({ type: z.literal('limit.lifted'), limit, who: z.string().optional() }),
  /** Something happened to an item of the inbox, by the clock or by an answer that was no good. It is never approved by that. */
  z.object({
    type: z.literal('item.changed'),
    /** The record that opened it, by its number. */
    item: z.int(),
    change: z.enum(['reminded', 'raised', 'expired', 'refused']),
    /** How urgent it is from now on. */
    severity: z.enum(['normal', 'high', 'urgent']).optional(),
    /** Who is asked from now on. */
    queue: z.string().optional(),
    /** Why an answer was refused. */
    reason: z.string().optional(),
    /** Who gave it. */
    who: z.string().optional(),
  }),
  z.object({
    type: z.literal('run.ended'),
    status: z.enum(['completed', 'rejected', 'failed', 'cancelled', 'exhausted']),
    reason: z.string().optional(),
    limit: limit.optional(),
    error: error.optional(),
  }),
] as const;

/** The schema of {@link RunEvent}. */
export const runEventSchema = z.discriminatedUnion('type', [...taskEvents, ...phaseEvents, ...runEvents]);

/** The schema of {@link RunRecord}, for records that come from a file or a network. */
export const runRecordSchema = z.object({
  runId: z.string(),
  /** Position in the run, from 1, without gaps. */
  seq: z.int().min(1),
  /** Milliseconds since 1970, by the clock of the process that ran it; such that a `Date` can have it. */
  time: z.number().min(-8.64e15).max(8.64e15),
  event: runEventSchema,
});

/** One thing that happened in a run. */
export type RunEvent = DeepReadonly<z.infer<typeof runEventSchema>>;

/** An event with its run, position and time. */
export type RunRecord = Omit<DeepReadonly<z.infer<typeof runRecordSchema>>, 'event'> & { readonly event: RunEvent };

/** An event of one type. */
export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

/** An approval as the phase reports it, before the pipeline has given it a version. */
export type Approval = Omit<EventOf<'phase.approved'>, 'version' | 'read' | 'readTasks'>;

/** What a task tells the phase that runs it. */
export type TaskReport =
  | DeepReadonly<z.infer<(typeof taskEvents)[number]>>
  | EventOf<'phase.warned' | 'phase.reflected' | 'check.baselined' | 'review.waiting'>;

/** What a phase tells its pipeline. */
export type PhaseReport = TaskReport | DeepReadonly<z.infer<(typeof phaseEvents)[number]>> | Approval;

/** What work says that nobody waits for any more. */
export type LateReport = EventOf<'task.reported' | 'task.dropped'>;

/** How a run can end. */
export type RunStatus = EventOf<'run.ended'>['status'];

/** The input that a kept run was given, beside that which its schema has made of it. */
export type GivenInput = NonNullable<EventOf<'run.started'>['given']>;

/** Who made a decision: the gate, a task that cannot work with its inputs, or a person. */
export type DecidedBy = EventOf<'review.decided'>['by'];

/** Checks that have failed in a review, and what they found. */
export type FailedChecks = NonNullable<EventOf<'review.decided'>['failedChecks']>;

/** One reviewer's answer as it was understood, or why there is none. */
export type Verdict = EventOf<'review.decided'>['verdict'];

type DeepReadonly<T> = T extends Plan | string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;
