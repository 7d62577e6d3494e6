/**
 * Large values, stored separately from their records.
 *
 * @module
 */
import { byName } from '../values/by-name.ts';
import { sha256Hex } from '../values/sha256.ts';
import type { RunEvent, RunRecord } from './event.ts';

/** A value as JSON text, identified by its hash. */
export interface PackedValue {
  /** SHA-256 of `content` in UTF-8, in hex. */
  readonly hash: string;
  /** JSON text. */
  readonly content: string;
}

/** A record without its large values. */
export interface PackedRecord {
  readonly record: RunRecord;
  readonly artifacts: readonly PackedValue[];
}

/** Values with more characters of JSON than this are stored separately. */
export const LARGEST_INLINE = 16_384;

/** Moves large outputs and reported contents out of a record. */
export function packRecord(record: RunRecord): PackedRecord {
  const artifacts: PackedValue[] = [];
  const event = mapValues(record.event, (value) => {
    const content = isSmall(value) ? '' : (JSON.stringify(value) ?? 'null');
    if (content.length <= LARGEST_INLINE && !isReference(value)) return value;
    const text = content === '' ? JSON.stringify(value) : content;
    const hash = sha256Hex([text]);
    artifacts.push({ hash, content: text });
    return { [REFERENCE]: hash };
  });
  return { record: event === record.event ? record : { ...record, event }, artifacts };
}

/** True if a content is the one that was stored under its hash. */
export function isWhole({ hash, content }: PackedValue): boolean {
  return sha256Hex([content]) === hash;
}

/** True if values of a record are stored separately. */
export function hasReferences({ event }: RunRecord): boolean {
  let refers = false;
  mapValues(event, (value) => {
    refers ||= isReference(value);
    return value;
  });
  return refers;
}

/** Returns the hash that replaces a value in a packed record; `undefined` if it is the value itself. */
export function referenceIn(value: unknown): string | undefined {
  return isReference(value) ? value[REFERENCE] : undefined;
}

/**
 * Puts the values back.
 *
 * @param find Returns the content with a hash.
 */
export async function unpackRecord(
  record: RunRecord,
  find: (hash: string) => Promise<string> | string,
): Promise<RunRecord> {
  if (!hasReferences(record)) return record;
  const found = new Map<string, unknown>();
  const wanted: string[] = [];
  mapValues(record.event, (value) => {
    if (isReference(value)) wanted.push(value[REFERENCE]);
    return value;
  });
  await Promise.all(
    wanted.map(async (hash) => {
      found.set(hash, JSON.parse(await find(hash)));
    }),
  );
  const event = mapValues(record.event, (value) => (isReference(value) ? found.get(value[REFERENCE]) : value));
  return { ...record, event };
}

// --- internal ---

/** The only key of a reference. A value that looks like a reference is packed itself, so that the two cannot be confused. */
const REFERENCE = 'phasegate:artifact';

function isReference(value: unknown): value is { readonly [REFERENCE]: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    REFERENCE in value &&
    typeof value[REFERENCE] === 'string' &&
    Object.keys(value).length === 1
  );
}

function isSmall(value: unknown): boolean {
  if (typeof value === 'string') return value.length < LARGEST_INLINE / 2;
  return typeof value !== 'object' || value === null;
}

/** Replaces the values of an event; returns the same event if none changes. */
function mapValues(event: RunEvent, change: (value: unknown) => unknown): RunEvent {
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
