/**
 * Conversion of stored values to JSON text and back. Text cannot be changed by callers, and every store can hold it.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { PackedRecord } from '../model/events/large-values.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { Memory } from '../projections/run/learned.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import { damaged } from './damage.ts';
import type { RunMessage } from './port.ts';

/** Converts a value to the text of a row. */
export function textOf(value: PackedRecord | RunInfo | InboxItem | RunMessage | Memory): string {
  return JSON.stringify(value);
}

/** Parses a record. @throws `STORE_UNREADABLE` if the text is something else; so do the functions below. */
export function recordOf(text: string, { runId, seq }: Pick<PackedRecord, 'runId' | 'seq'>): PackedRecord {
  const record = parse(text, isRecord, 'a record');
  if (record.runId === runId && record.seq === seq) return record;
  throw damaged(`record ${seq}`, runId, `record ${record.seq} of run ${record.runId} is in its place`, seq - 1);
}

/**
 * Parses records, which is faster than one by one.
 *
 * @param list Their texts, with commas between them.
 * @returns `undefined` if these are not exactly the wanted records, in order.
 */
export function recordsOf(
  list: string,
  { runId, from, count }: { readonly runId: string; readonly from: number; readonly count: number },
): readonly PackedRecord[] | undefined {
  const values: unknown = JSON.parse(`[${list}]`);
  if (!Array.isArray(values) || values.length !== count) return undefined;
  return values.every(
    (value, index): value is PackedRecord => isRecord(value) && value.seq === from + index && value.runId === runId,
  )
    ? values
    : undefined;
}

/** Parses the summary of a run. */
export function infoOf(text: string): RunInfo {
  return parse(text, isInfo, 'a run');
}

/** Parses an item. */
export function itemOf(text: string): InboxItem {
  return parse(text, isItem, 'an item');
}

/** Parses a message. */
export function messageOf(text: string): RunMessage {
  return parse(text, isMessage, 'a message');
}

/** Parses a memory. */
export function memoryOf(text: string): Memory {
  return parse(text, isMemory, 'a memory');
}

// --- internal ---

function parse<T>(text: string, is: (value: unknown) => value is T, what: string): T {
  let cause: unknown;
  try {
    const value: unknown = JSON.parse(text);
    if (is(value)) return value;
  } catch (thrown) {
    cause = thrown;
  }
  throw new PhasegateError(
    'STORE_UNREADABLE',
    `Cannot read ${what} of the store as its text is none: ${text.slice(0, 80)}`,
    { hint: 'Something other than phasegate has written into the store: restore it from a copy.', cause },
  );
}

// A store reads only its own writing. These checks detect damage; callers that need full validation use the schemas.

function isRecord(value: unknown): value is PackedRecord {
  return has(value, 'runId', 'string') && has(value, 'seq', 'number') && has(value, 'event', 'object');
}

function isInfo(value: unknown): value is RunInfo {
  return has(value, 'runId', 'string') && has(value, 'seq', 'number') && has(value, 'status', 'string');
}

function isItem(value: unknown): value is InboxItem {
  return has(value, 'id', 'string') && has(value, 'runId', 'string') && has(value, 'openedAt', 'number');
}

function isMessage(value: unknown): value is RunMessage {
  return has(value, 'runId', 'string') && has(value, 'kind', 'string');
}

function isMemory(value: unknown): value is Memory {
  return ['scope', 'pipeline', 'phase', 'text'].every((key) => has(value, key, 'string'));
}

function has(value: unknown, key: string, type: 'string' | 'number' | 'object'): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, key) === type;
}
