/**
 * Large values, stored separately from their records.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';
import type { Plan } from '../plan/plan.ts';
import { byName } from '../values/by-name.ts';
import { sha256Hex } from '../values/sha256.ts';
import type { EventOf, RunEvent, RunRecord } from './event.ts';

/** A value as JSON text, identified by its hash. */
export interface PackedValue {
  /** SHA-256 of `content` in UTF-8, in hex. */
  readonly hash: string;
  /** JSON text. */
  readonly content: string;
}

/** A reference to a value that is stored separately. */
export interface ValueReference {
  /** SHA-256 of the value. */
  readonly [REFERENCE]: string;
}

/** An event without its large values. */
export type PackedEvent =
  | Exclude<RunEvent, { readonly type: 'run.started' | 'run.resumed' }>
  | (Omit<EventOf<'run.started'>, 'plan'> & { readonly plan: Plan | ValueReference })
  | (Omit<EventOf<'run.resumed'>, 'plan'> & { readonly plan?: Plan | ValueReference | undefined });

/** A record without its large values: its plan, or an input, an output or a reported content may be a {@link ValueReference}. */
export type PackedRecord = Omit<RunRecord, 'event'> & { readonly event: PackedEvent };

/** Values with more characters of JSON than this are stored separately. */
export const LARGEST_INLINE = 16_384;

/** Moves large values out of a record. */
export function packRecord(record: RunRecord): {
  readonly record: PackedRecord;
  readonly artifacts: readonly PackedValue[];
} {
  const artifacts: PackedValue[] = [];
  const event = mapValues(record.event, (value) => {
    const packed = packedValue(value);
    if (!packed) return value;
    artifacts.push(packed);
    return referenceTo(packed);
  });
  const plan = 'plan' in record.event && record.event.plan && packedPlan(record.event.plan);
  if (!plan || !('plan' in event)) return { record: event === record.event ? record : { ...record, event }, artifacts };
  return { record: { ...record, event: { ...event, plan: referenceTo(plan) } }, artifacts: [...artifacts, plan] };
}

/** True if a content is the one that was stored under its hash. */
export function isWhole({ hash, content }: PackedValue): boolean {
  return sha256Hex([content]) === hash;
}

/** True if no value of a record is stored separately. */
export function isUnpacked(record: PackedRecord): record is RunRecord {
  if (!hasPlan(record)) return false;
  let refers = false;
  mapValues(record.event, (value) => {
    refers ||= isReference(value);
    return value;
  });
  return !refers;
}

/** True if the plan of a record is not stored separately. Other values may be. */
export function hasPlan(record: PackedRecord): record is RunRecord {
  const { event } = record;
  return !('plan' in event) || !isReference(event.plan);
}

/** Returns the hash that replaces a value in a packed record; `undefined` if it is the value itself. */
export function referenceIn(value: unknown): string | undefined {
  return isReference(value) ? value[REFERENCE] : undefined;
}

/** Returns the content with a hash. */
export type FindContent = (hash: string) => Promise<string> | string;

/**
 * Puts the plan back, and leaves other values as references.
 *
 * @param known A plan that the caller has, which replaces an equal one. @default none
 * @throws PhasegateError `STORE_UNREADABLE` if the content is no plan; an error of `find`.
 */
export async function unpackPlan(record: PackedRecord, find: FindContent, known?: Plan): Promise<RunRecord> {
  if (hasPlan(record)) return record;
  const { event } = record;
  if (event.type === 'run.started')
    return { ...record, event: { ...event, plan: await foundPlan(event.plan, find, known) } };
  if (event.type !== 'run.resumed') return { ...record, event };
  return { ...record, event: { ...event, plan: event.plan && (await foundPlan(event.plan, find, known)) } };
}

/**
 * Puts all values back.
 *
 * @param known A plan that the caller has, which replaces an equal one. @default none
 * @throws PhasegateError `STORE_UNREADABLE` if a content is no JSON, or no plan; an error of `find`.
 */
export async function unpackRecord(record: PackedRecord, find: FindContent, known?: Plan): Promise<RunRecord> {
  if (isUnpacked(record)) return record;
  return unpackPlan(await unpackValues(record, find), find, known);
}

/**
 * Puts values back, and leaves the plan as a reference.
 *
 * @throws PhasegateError `STORE_UNREADABLE` if a content is no JSON; an error of `find`.
 */
export async function unpackValues(record: PackedRecord, find: FindContent): Promise<PackedRecord> {
  const wanted = new Set<string>();
  mapValues(record.event, (value) => {
    if (isReference(value)) wanted.add(value[REFERENCE]);
    return value;
  });
  if (wanted.size === 0) return record;
  const found = new Map<string, unknown>();
  await Promise.all([...wanted].map(async (hash) => found.set(hash, parsed(hash, await find(hash)))));
  const event = mapValues(record.event, (value) => (isReference(value) ? found.get(value[REFERENCE]) : value));
  return { ...record, event };
}

// --- internal ---

/** The only key of a reference. A value that looks like a reference is packed itself, so that the two cannot be confused. */
const REFERENCE = 'phasegate:artifact';

function isReference(value: unknown): value is ValueReference {
  return (
    typeof value === 'object' &&
    value !== null &&
    REFERENCE in value &&
    typeof value[REFERENCE] === 'string' &&
    Object.keys(value).length === 1
  );
}

function referenceTo({ hash }: PackedValue): ValueReference {
  return { [REFERENCE]: hash };
}

/** Packs a value; `undefined` if it is small. */
function packedValue(value: unknown): PackedValue | undefined {
  if (isSmall(value)) return undefined;
  const content = JSON.stringify(value) ?? 'null';
  if (content.length <= LARGEST_INLINE && !isReference(value)) return undefined;
  return { hash: sha256Hex([content]), content };
}

function isSmall(value: unknown): boolean {
  if (typeof value === 'string') return value.length < LARGEST_INLINE / 2;
  return typeof value !== 'object' || value === null;
}

/** Packs a plan, once for all its runs. */
function packedPlan(plan: Plan): PackedValue | undefined {
  if (plans.has(plan)) return plans.get(plan);
  const packed = packedValue(plan);
  plans.set(plan, packed);
  return packed;
}

const plans = new WeakMap<Plan, PackedValue | undefined>();

async function foundPlan(plan: Plan | ValueReference, find: FindContent, known: Plan | undefined): Promise<Plan> {
  if (!isReference(plan)) return plan;
  const hash = plan[REFERENCE];
  if (known && packedPlan(known)?.hash === hash) return known;
  const found = parsed(hash, await find(hash));
  if (isPlan(found)) return found;
  throw foreign(`Cannot read a plan as the content ${hash} is none`);
}

/** Parses a content. @throws PhasegateError `STORE_UNREADABLE` if it is no JSON. */
function parsed(hash: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw foreign(`Cannot read a value as the content ${hash} is no JSON`, cause);
  }
}

/** The error for a content that has its hash, and is nothing that this program writes. */
function foreign(problem: string, cause?: unknown): PhasegateError {
  return new PhasegateError('STORE_UNREADABLE', problem, {
    hint: 'Something other than phasegate has written into the store: restore it from a copy.',
    cause,
  });
}

/** Detects damage only, as a content was a plan when it was stored. */
function isPlan(value: unknown): value is Plan {
  return typeof value === 'object' && value !== null && 'name' in value && 'phases' in value && 'limits' in value;
}

/** Replaces the values of an event, but for its plan; returns the same event if none changes. */
function mapValues(event: PackedEvent, change: (value: unknown) => unknown): PackedEvent {
  if (event.type === 'task.completed') {
    const output = change(event.output);
    return output === event.output ? event : { ...event, output };
  }
  if (event.type === 'run.started') {
    const input = change(event.input);
    return input === event.input ? event : { ...event, input };
  }
  if (event.type === 'task.reported' && event.artifact) {
    const content = change(event.artifact.content);
    return content === event.artifact.content ? event : { ...event, artifact: { ...event.artifact, content } };
  }
  if (event.type !== 'phase.approved') return event;
  let changes: Map<string, unknown> | undefined;
  for (const name of Object.keys(event.outputs)) {
    const value = event.outputs[name];
    const changed = change(value);
    if (changed !== value) (changes ??= new Map()).set(name, changed);
  }
  return changes ? { ...event, outputs: byName([...Object.entries(event.outputs), ...changes]) } : event;
}
