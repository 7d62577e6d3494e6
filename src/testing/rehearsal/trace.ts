/**
 * Traces: rehearsals as JSON, which replay without functions.
 *
 * @module
 */
import { z } from 'zod';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { retryHintOf } from '../../model/errors/retry-hint.ts';
import type { RunEvent } from '../../model/events/event.ts';
import { asRework, needsRework } from '../../model/handlers/needs-rework.ts';
import type { Report } from '../../model/handlers/task.ts';
import { limitsSchema } from '../../model/plan/policy-schema.ts';
import { toJson, type Json } from '../../model/values/json.ts';
import type { Script, StepsByName, WorkerKind } from './script.ts';
import { Step } from './step.ts';

const json = z.custom<Json>((value) => toJson(value).ok, 'expected JSON');
const report = z.custom<Report>((value) => typeof value === 'object' && value !== null, 'expected a report');

const when = {
  /** Virtual milliseconds. @default 0 */
  afterMs: z.number().min(0).optional(),
  /** Reports, oldest first. @default none */
  reports: z.array(report).optional(),
  /** The person. */
  by: z.string().optional(),
};

const stepSchema = z.union([
  z.strictObject({ ...when, value: json }),
  z.strictObject({
    ...when,
    error: z.strictObject({
      name: z.string(),
      message: z.string(),
      code: z.string(),
      retryable: z.literal(false).optional(),
      permanent: z.boolean().optional(),
      retryAfterMs: z.number().optional(),
      /** The demand of an earlier phase, as `needsRework()` makes it. */
      rework: z.strictObject({ phase: z.string(), feedback: z.string() }).optional(),
    }),
  }),
  z.strictObject({ ...when, silent: z.literal(true), interrupted: z.literal(true).optional() }),
  z.strictObject({ ...when, skip: z.literal(true), reason: z.string().optional() }),
  z.strictObject({ ...when, abort: z.literal(true), reason: z.string().optional() }),
]);

const stepsByName = z.record(z.string(), z.array(stepSchema));

const traceSchema = z.strictObject({
  /** The version of the format. */
  trace: z.literal(1),
  pipeline: z.string(),
  input: json.optional(),
  attended: z.boolean(),
  limits: limitsSchema.optional(),
  tasks: stepsByName,
  reviews: stepsByName,
  checks: stepsByName,
  reflections: stepsByName,
  people: stepsByName,
  crashes: z.array(
    z.strictObject({
      type: z.custom<RunEvent['type']>((value) => typeof value === 'string').optional(),
      nth: z.int().min(1),
      isBefore: z.literal(true).optional(),
      mayMiss: z.literal(true).optional(),
    }),
  ),
});

/** The steps that were done, by kind and full name. */
export type Done = Readonly<Record<WorkerKind | 'people', Map<string, TraceStep[]>>>;

/** A step as it was done. JSON. */
export type TraceStep = z.infer<typeof stepSchema>;

/** A rehearsal as JSON: what each worker and person did, call by call. `rehearse(pipeline, trace)` replays it. */
export type Trace = z.infer<typeof traceSchema>;

/** True if a script is meant to be a trace. */
export function isTrace(given: object): given is Trace {
  return 'trace' in given;
}

/** Returns the script of a trace. @throws PhasegateError `SCRIPT_INVALID` if it is not a trace of this pipeline. */
export function scriptOf(pipeline: string, given: unknown): Script {
  const parsed = traceSchema.safeParse(given);
  if (!parsed.success) throw unreadable(z.prettifyError(parsed.error));
  const { data } = parsed;
  if (data.pipeline !== pipeline)
    throw unreadable(`It is a trace of pipeline "${data.pipeline}", not of "${pipeline}".`);
  return {
    input: data.input,
    attended: data.attended,
    limits: data.limits,
    tasks: readAll(data.tasks),
    reviews: readAll(data.reviews),
    checks: readAll(data.checks),
    reflections: readAll(data.reflections),
    people: readAll(data.people),
    crashes: data.crashes.map(({ type, nth, isBefore, mayMiss }) => ({ type, nth, isBefore, mayMiss })),
  };
}

/** Returns the trace of a rehearsal. @param done The steps that were done. */
export function traceOf(pipeline: string, script: Script, done: Done): Trace {
  const { input, limits, people, attended = people !== undefined, crashes = [] } = script;
  const given = toJson(input);
  return {
    trace: 1,
    pipeline,
    ...(input !== undefined && given.ok && { input: given.value }),
    attended,
    ...(limits && { limits: { ...limits } }),
    tasks: Object.fromEntries(done.tasks),
    reviews: Object.fromEntries(done.reviews),
    checks: Object.fromEntries(done.checks),
    reflections: Object.fromEntries(done.reflections),
    people: Object.fromEntries(done.people),
    crashes: crashes.map(({ type, nth, isBefore, mayMiss }) => ({
      ...(type !== undefined && { type }),
      nth,
      ...(isBefore && { isBefore }),
      ...(mayMiss && { mayMiss }),
    })),
  };
}

/** The end of a step as it was. */
export type StepResult =
  | { readonly value: unknown }
  | { readonly error: unknown }
  | { readonly silent: true; readonly interrupted?: true }
  | { readonly skip: true; readonly reason?: string }
  | { readonly abort: true; readonly reason?: string };

/** Returns the end of a step as a trace has it. @param ms Its virtual duration. */
export function tracedEnd(end: StepResult, ms: number, reported: readonly Report[]): TraceStep {
  return {
    ...(ms > 0 && { afterMs: ms }),
    ...(reported.length > 0 && { reports: [...reported] }),
    ...('error' in end ? { error: tracedError(end.error) } : 'value' in end ? tracedValue(end.value) : end),
  };
}

// --- internal ---

function tracedError(thrown: unknown): Extract<TraceStep, { error: unknown }>['error'] {
  const rework = asRework(thrown);
  const { retryable, permanent, afterMs } = retryHintOf(thrown);
  const { name, message, code } = errorInfo(thrown);
  return {
    name,
    message,
    code,
    ...(!retryable && { retryable: false as const, permanent }),
    ...(afterMs > 0 && { retryAfterMs: afterMs }),
    ...(rework && { rework }),
  };
}

/** A value that is no JSON fails the task, and so does the same error. */
function tracedValue(value: unknown): TraceStep {
  const copy = toJson(value);
  if (copy.ok) return { value: copy.value };
  const message = `The value has ${copy.problem.found} at ${copy.problem.path}, which is no JSON.`;
  return { error: { name: 'Error', message, code: 'OUTPUT_NOT_JSON' } };
}

function readAll(steps: Readonly<Record<string, readonly TraceStep[]>>): StepsByName {
  return Object.fromEntries(Object.entries(steps).map(([name, list]) => [name, list.map(readStep)]));
}

function readStep(step: TraceStep): Step {
  const { afterMs, reports, by } = step;
  const more = { afterMs, reports, by };
  if ('value' in step) return new Step({ type: 'value', value: step.value }, more);
  if ('error' in step) return new Step({ type: 'error', error: errorOf(step.error) }, more);
  if ('silent' in step) return new Step({ type: 'silence' }, { ...more, isInterrupted: step.interrupted });
  return new Step({ type: 'skip' in step ? 'skip' : 'abort', reason: step.reason }, more);
}

function errorOf({ rework, ...fields }: Extract<TraceStep, { error: unknown }>['error']): unknown {
  return rework ? needsRework(rework.phase, rework.feedback) : Object.assign(new Error(fields.message), fields);
}

function unreadable(found: string): PhasegateError {
  return new PhasegateError('SCRIPT_INVALID', `Cannot replay a trace:\n  ${found.replaceAll('\n', '\n  ')}`, {
    hint: 'Pass `trace` of a rehearsal of this pipeline, as it was or from JSON.',
  });
}
