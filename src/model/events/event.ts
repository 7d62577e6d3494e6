/**
 * The events of a run, as one closed union.
 *
 * ```text
 *   PhaseReport (a phase to its pipeline)  →  RunEvent (published by the run)  →  RunRecord (numbered and timed)
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

/** Events that a phase reports about itself. */
const phaseEvents = [
  z.object({ type: z.literal('phase.started'), ...at, revision: revision.optional() }),
  z.object({ type: z.literal('review.started'), ...at, asked: z.int() }),
  /**
   * All reviewers that are not people have answered: the review only waits for people. Emitted if the gate has both. `verdicts` has their
   * answers, so that a process that resumes the run does not ask them again; absent in records of earlier versions.
   */
  z.object({ type: z.literal('review.waiting'), ...at, verdicts: z.record(z.string(), verdict).optional() }),
  /**
   * The verdict that the gate combined from its checks and reviewers, or a person's decision; `verdicts` has each reviewer's own.
   * `checked` is true if the checks have passed and need not run again if the review is asked again.
   */
  z.object({
    type: z.literal('review.decided'),
    ...at,
    verdict,
    verdicts: z.record(z.string(), verdict),
    by,
    checked: z.literal(true).optional(),
    /** The failed checks, in their order, with details; absent if the verdict is not theirs. */
    failedChecks: z.array(z.object({ name: z.string(), details: z.string() })).optional(),
    /** The person, if known. */
    who: z.string().optional(),
    /** Outputs with which a person has replaced those of the attempt, by task. */
    edited: outputs.optional(),
  }),
  /** The attempt has the same outputs as the one that was sent back. `times` counts such attempts of the phase in a row, from 1. */
  z.object({ type: z.literal('attempt.unchanged'), ...at, times: z.int().min(1) }),
  z.object({ type: z.literal('phase.retrying'), ...at, correction, by, spent: z.int() }),
  z.object({
    type: z.literal('phase.rewinding'),
    ...at,
    target: z.string(),
    correction,
    by,
    spent: z.int(),
    /** Corrections for other phases that issues are about; each phase gets its own when it runs again. */
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

/** True if a function of the program masks texts of this record and the next ones, so that they may contradict each other. */
const redacted = z.literal(true).optional();

const changes = { plan: plan.optional(), fingerprint: z.string().optional(), attended: z.boolean().optional() };

/** Milliseconds of work until another process released the run. */
const workedMs = z.number().min(0).optional();

/** Events that only the pipeline emits. */
const runEvents = [
  z.object({
    type: z.literal('run.started'),
    plan,
    fingerprint: z.string(),
    input: z.unknown(),
    /**
     * The input before its schema changed it: `input` (unchanged), `nothing`, or a value. Absent if the run is not stored, or it was no
     * JSON.
     */
    given: z.union([z.enum(['input', 'nothing']), z.object({ value: z.unknown() })]).optional(),
    /** True if a person can be reached when a review fails. */
    attended: z.literal(true).optional(),
    /** True if the run is in a store, so that a person can answer later. */
    kept: z.literal(true).optional(),
    /** The owner of the memory that the run uses; absent if it uses none. */
    memory: z.string().optional(),
    /** Words by which people find the run, such as `team=search`; absent if there are none. */
    tags: z.array(z.string()).readonly().optional(),
    /** The edition of the rules that the run follows; absent for the first. */
    edition: z.int().min(2).optional(),
    /** True if `redact` has masked the input, so that this is not the input of the handlers. */
    masked: z.literal(true).optional(),
    redacted,
    /** The time of the fork, in milliseconds since 1970, and its number of copied records. Absent if the run is no fork. */
    forked: z.object({ at: z.number(), records: z.int().min(1) }).optional(),
  }),
  /** The process releases the run. Emitted for a run with `limits.durationMs`, as the time up to here counts as work. */
  z.object({ type: z.literal('run.suspended') }),
  /**
   * Another process resumes the run. It has the changed definition and `attended`, if any, and `workedMs` if it does not follow from
   * the earlier records.
   */
  z.object({ type: z.literal('run.resumed'), ...changes, redacted, workedMs }),
  /** A run that had ended continues: phases that were not approved run again. */
  z.object({ type: z.literal('run.reopened') }),
  /** A handler has requested the outputs of an ancestor that is no direct predecessor: the phase depends on it from now on. */
  z.object({ type: z.literal('phase.read'), ...at, source: z.string() }),
  /** A task or a reviewer of an older generation has completed too late: its result is dropped. */
  z.object({ type: z.literal('task.dropped'), ...at, task: z.string(), reviewer: z.boolean(), try: z.int() }),
  /**
   * The outputs are committed as `version`. `read` has the version of each phase whose outputs were read. `readTasks` has the tasks whose
   * outputs were read, for phases that were read in part.
   */
  z.object({ ...approval, version: z.int(), read: z.record(z.string(), z.int()), readTasks: readTasks.optional() }),
  /** The phase has read an output that has a newer version now, and does not run again. */
  z.object({ type: z.literal('phase.stale'), phase: z.string(), because: z.string() }),
  /** A newer version of a phase has the same content in the part that this phase has read: from now on that version counts as read. */
  z.object({ type: z.literal('phase.unaffected'), phase: z.string(), source: z.string(), version: z.int() }),
  /** The phase must run again as a new generation, because an ancestor did. */
  z.object({ type: z.literal('phase.invalidated'), phase: z.string(), generation: z.int(), because: z.string() }),
  z.object({ type: z.literal('phase.skipped'), phase: z.string(), because: z.string(), who: z.string().optional() }),
  z.object({ type: z.literal('phase.cancelled'), phase: z.string(), because: z.string() }),
  /** A limit is spent. `holds` is the phase that waits for a person, `null` if the whole run ends or waits. */
  z.object({
    type: z.literal('limit.reached'),
    limit,
    used: z.number(),
    max: z.number(),
    holds: z.string().nullable(),
    /** The try that does not begin, as its estimate exceeds the rest of the limit. `estimate` is absent if nothing is left for any try. */
    refused: z.object({ phase: z.string(), task: z.string(), estimate: z.number().optional() }).optional(),
  }),
  z.object({ type: z.literal('limit.lifted'), limit, who: z.string().optional() }),
  /** An item of the inbox changed, by the clock or by a refused answer. That never approves it. */
  z.object({
    type: z.literal('item.changed'),
    /** The sequence number of the record that opened it. */
    item: z.int(),
    change: z.enum(['reminded', 'raised', 'expired', 'refused']),
    /** The new urgency. */
    severity: z.enum(['normal', 'high', 'urgent']).optional(),
    /** The new queue. */
    queue: z.string().optional(),
    /** The reason why an answer was refused. */
    reason: z.string().optional(),
    /** The person who gave it. */
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

/** One event in a run. */
export type RunEvent = DeepReadonly<z.infer<typeof runEventSchema>>;

/** An event with its run, position and time. */
export type RunRecord = Omit<DeepReadonly<z.infer<typeof runRecordSchema>>, 'event'> & { readonly event: RunEvent };

/** An event of one type. */
export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

/** An approval as the phase reports it, before the pipeline has given it a version. */
export type Approval = Omit<EventOf<'phase.approved'>, 'version' | 'read' | 'readTasks'>;

/** A report of a task to its phase. */
export type TaskReport =
  | DeepReadonly<z.infer<(typeof taskEvents)[number]>>
  | EventOf<'phase.warned' | 'phase.reflected' | 'check.baselined' | 'review.waiting'>;

/** A report of a phase to its pipeline. */
export type PhaseReport = TaskReport | DeepReadonly<z.infer<(typeof phaseEvents)[number]>> | Approval;

/** A report of work that has ended too late. */
export type LateReport = EventOf<'task.reported' | 'task.dropped'>;

/** The final status of a run. */
export type RunStatus = EventOf<'run.ended'>['status'];

/** The original input of a stored run, as its schema may have changed it. */
export type GivenInput = NonNullable<EventOf<'run.started'>['given']>;

/** The origin of a decision: the gate, a task that cannot work with its inputs, or a person. */
export type DecidedBy = EventOf<'review.decided'>['by'];

/** The failed checks of a review, with their details. */
export type FailedChecks = NonNullable<EventOf<'review.decided'>['failedChecks']>;

/** One reviewer's answer as it was read, or the reason why there is none. */
export type Verdict = EventOf<'review.decided'>['verdict'];

type DeepReadonly<T> = T extends Plan | string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;
