/**
 * Conversion of stored values to JSON text and back. Text cannot be changed by callers, and every store can hold it.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { Memory } from '../projections/run/learned.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import { newId } from '../model/values/new-id.ts';
import { damaged } from './damage.ts';
import type { RunMessage } from './port.ts';

/** Converts a value to the text of a row. */
export function textOf(value: RunRecord | RunInfo | InboxItem | RunMessage | Memory): string {
  return JSON.stringify(value);
}

/**
 * Parses a record.
 *
 * @param plan A plan that the caller has, which replaces an equal one. @default none
 * @throws `STORE_UNREADABLE` if the text is something else; so do the functions below.
 */
export function recordOf(text: string, { runId, seq }: Pick<RunRecord, 'runId' | 'seq'>, plan?: Plan): RunRecord {
  const record = parse(text, isRecord, 'a record', seq === 1 ? plan : undefined);
  if (record.runId === runId && record.seq === seq) return record;
  throw damaged(`record ${seq}`, runId, `record ${record.seq} of run ${record.runId} is in its place`, seq - 1);
}

/**
 * Parses records, which is faster than one by one.
 *
 * @param list Their texts, with commas between them.
 * @param plan A plan that the caller has, which replaces an equal one in the first of them. @default none
 * @returns `undefined` if these are not exactly the wanted records, in order.
 */
export function recordsOf(
  list: string,
  { runId, from, count }: { readonly runId: string; readonly from: number; readonly count: number },
  plan?: Plan,
): readonly RunRecord[] | undefined {
  const values = parseJson(`[${list}]`, from === 1 ? plan : undefined);
  if (!Array.isArray(values) || values.length !== count) return undefined;
  return values.every(
    (value, index): value is RunRecord => isRecord(value) && value.seq === from + index && value.runId === runId,
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

/**
 * Parses a record, or a list of them. A large plan takes as long as all other records, and comparing texts is faster than parsing one.
 *
 * @param plan A plan that the caller has, which replaces an equal one in the first record. @default none
 */
function parseJson(text: string, plan: Plan | undefined): unknown {
  if (!plan) return JSON.parse(text);
  const known = JSON.stringify(plan);
  const at = text.indexOf(PLAN) + PLAN.length;
  if (at < PLAN.length || !text.startsWith(known, at)) return JSON.parse(text);
  // No text can have been written with this id in it.
  const mark = newId();
  const values: unknown = JSON.parse(`${text.slice(0, at)}"${mark}"${text.slice(at + known.length)}`);
  const first: unknown = Array.isArray(values) ? values[0] : values;
  // In any other place it is a part of an input, for example.
  if (!isRecord(first) || Reflect.get(first.event, 'plan') !== mark) return JSON.parse(text);
  Object.assign(first.event, { plan });
  return values;
}

/** The key of a plan as a text has it. A text may begin with that of an input, or with the end of a longer key. */
const PLAN = '"plan":';

function parse<T>(text: string, is: (value: unknown) => value is T, what: string, plan?: Plan): T {
  let cause: unknown;
  try {
    const value = parseJson(text, plan);
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

function isRecord(value: unknown): value is RunRecord {
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
