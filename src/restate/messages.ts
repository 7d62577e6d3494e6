/**
 * Messages between the services of phasegate on Restate, and to them. All of them are JSON.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord, RunStatus } from '../model/events/event.ts';
import { problemIn } from '../runtime/inbox/validate-reply.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { RunResult } from '../projections/run/run-result.ts';
import type { ParentLink } from './run-state.ts';
import type { Limits } from '../model/plan/policy-schema.ts';
import type { OutstandingWork, WorkFact } from '../runtime/steps/outstanding-work.ts';
import type { ChildEnd } from '../runtime/steps/session-children.ts';
import type { KeptAnswers } from '../runtime/steps/session-work.ts';
import type { WorkBatch } from '../runtime/steps/work-batch.ts';

/** Names of the services. */
export interface ServiceNames {
  /** The object of a run. */
  readonly run: string;
  /** The service that does work. */
  readonly work: string;
  /** The object that copies a run to the store. */
  readonly store: string;
}

/** The names of the services with a prefix. */
export function namesOf(prefix: string): ServiceNames {
  return { run: `${prefix}-run`, work: `${prefix}-work`, store: `${prefix}-store` };
}

/** A message that the store had for the run. */
export type PostedRequest =
  | { readonly kind: 'cancel'; readonly reason: string }
  | {
      readonly kind: 'answer';
      readonly item: string;
      readonly by: string;
      readonly reply: unknown;
      readonly nonce?: string | undefined;
    };

/** The argument of `attempt`: the work to do. */
export interface AttemptRequest {
  readonly run: string;
  readonly token: string;
  readonly session: number;
}

/** The argument of `fact`: facts of one session. */
export interface FactRequest extends Omit<AttemptRequest, 'run'> {
  readonly facts: readonly WorkFact[];
  readonly end?: WorkBatch['end'];
}

/** The answer of `open`: all that a worker needs; `null` if nobody wants the work any more. */
export type OpenedWork = {
  readonly pipeline: string;
  readonly work: OutstandingWork;
  readonly records: readonly RunRecord[];
  readonly kept?: KeptAnswers | undefined;
  /** Runs of its tasks that have ended, by id. */
  readonly ended: Readonly<Record<string, ChildEnd>>;
} | null;

/** The argument of `begin`: the start of a run by a task. */
export interface BeginRequest {
  readonly parent: ParentLink;
  readonly start: {
    readonly pipeline: string;
    readonly input: unknown;
    readonly limits: Limits;
    readonly attended: boolean | undefined;
  };
}

/** The argument of `child`: facts about the run of a task, and its end. */
export interface ChildRequest {
  readonly id: string;
  readonly token: string;
  readonly facts: readonly WorkFact[];
  readonly end?: ChildEnd | undefined;
}

/** The state of a run. */
export interface RunReport {
  readonly runId: string;
  readonly pipeline: string;
  readonly status: 'running' | RunStatus;
  /** Number of records. */
  readonly seq: number;
  /** Open items, oldest first. */
  readonly inbox: readonly InboxItem[];
  /** The result so far; the end of the run once it has ended. */
  readonly result: RunResult;
}

/** The reason that a call was refused. */
export interface Refusal {
  readonly code: string;
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** The answer of a call that may be refused. */
export type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** Describes an error for a caller elsewhere. Other errors than refusals are thrown again, so Restate tries again. */
export function refused(error: unknown): Answered<never> {
  if (!PhasegateError.is(error) || !CODES.some((code) => code === error.code)) throw error;
  return { ok: false, refusal: refusalOf(error) };
}

/** Describes a refusal. */
export function refusalOf(error: PhasegateError): Refusal {
  return { code: error.code, problem: problemIn(error), hint: error.hint };
}

/** The error of a refused call. */
export function errorOf({ code, problem, hint }: Refusal): PhasegateError {
  const known = CODES.find((one) => one === code) ?? 'INTERNAL';
  return new PhasegateError(known, problem, hint === undefined ? {} : { hint });
}

// --- internal ---

/** Codes of refusals. A call with such an error changes nothing, and would be refused again. */
const CODES = [
  'ANSWERED',
  'ANSWER_INVALID',
  'ANSWER_STALE',
  'DECISION_INVALID',
  'DECISION_TARGET_INVALID',
  'DEFINITION_INVALID',
  'INPUT_INVALID',
  'INTERNAL',
  'ITEM_UNKNOWN',
  'JOURNAL_DIVERGED',
  'PIPELINE_INVALID',
  'PIPELINE_UNSUPPORTED',
  'RUN_CHANGED',
  'RUN_TOO_LARGE',
  'RUN_UNKNOWN',
  'STORE_MISUSED',
] as const;
