/**
 * Checks and errors that all stores share.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../model/errors/phasegate-error.ts';
import { isFields, toJson } from '../model/values/json.ts';
import { itemId } from '../projections/inbox/inbox-item.ts';
import { memoryProblem } from './memory-rules.ts';
import type { Batch, Lease, RunMessage, RunStore } from './port.ts';

/** True if an error says that a store is busy: the same call may succeed later. */
export function isStoreBusy(error: unknown): boolean {
  return hasCode(error, 'STORE_BUSY');
}

/** State of a run in a store at the time of an append. */
export interface StoredState {
  /** The number of its last record, 0 if it has none. */
  readonly seq: number;
  readonly lease: Lease | undefined;
}

/** Refuses an inconsistent batch, whatever the store contains. @throws `STORE_MISUSED` */
export function checkBatch({ runId, records, info, items, memories }: Batch): void {
  checkRunId(runId);
  const [first] = records;
  const cannot = `Cannot append to run ${runId} as`;
  if (!first) throw misused(`${cannot} the batch has no record`);
  records.forEach((record, index) => {
    if (record.runId !== runId) throw misused(`${cannot} record ${record.seq} belongs to run ${record.runId}`);
    if (record.seq !== first.seq + index)
      throw misused(`${cannot} record ${record.seq} is in the place of record ${first.seq + index}`);
  });
  if (!Number.isSafeInteger(first.seq) || first.seq < 1)
    throw misused(`${cannot} records are numbered from 1: the first has ${first.seq}`);
  if (!isWellFormed(info.pipeline)) throw misused(`${cannot} the name of its pipeline is not well-formed text`);
  if (info.runId !== runId) throw misused(`${cannot} its info is that of run ${info.runId}`);
  const last = first.seq + records.length - 1;
  if (info.seq !== last) throw misused(`${cannot} its info is that after record ${info.seq} and not ${last}`);
  const stray = items.find((item) => item.runId !== runId || item.id !== itemId(item));
  if (stray) throw misused(`${cannot} item ${stray.id} belongs to another run or has another id`);
  const problem = memoryProblem(runId, memories);
  if (problem !== undefined) throw misused(`${cannot} ${problem}`);
}

/** Refuses a value that is no store, as a program in JavaScript may pass one. @throws `STORE_MISUSED` */
export function checkStore(store: unknown): asserts store is RunStore {
  const missing = METHODS.find((name) => !isFields(store) || typeof store[name] !== 'function');
  if (missing === undefined) return;
  const problem = `Cannot use the given value as a store as it has no method \`${missing}\``;
  const hint = 'Pass a store, such as memoryStore() or sqliteStore(file).';
  throw new PhasegateError('STORE_MISUSED', problem, { hint });
}

/**
 * Refuses a batch that does not follow the last record, or comes from a caller without a valid lease.
 *
 * @throws `SEQ_CONFLICT`, `LEASE_LOST`, `RUN_LEASED`
 */
export function checkAppend(
  batch: Batch,
  lease: Lease | undefined,
  { seq, lease: current }: StoredState,
  now: number,
): void {
  const { runId, records } = batch;
  if (lease) {
    if (current?.token !== lease.token) throw leaseLost('append to', lease, current);
  } else if (current && current.expiresAt > now) throw runLeased('append to', current);
  const first = records[0]?.seq;
  if (first === seq + 1) return;
  throw new PhasegateError(
    'SEQ_CONFLICT',
    `Cannot append to run ${runId} from record ${first} as its last stored record is ${seq}`,
    {
      hint: 'Another process has appended: read the run again and continue from its end, or leave it to that process.',
    },
  );
}

/** Refuses ids that not every store can distinguish. @throws `STORE_MISUSED` */
export function checkRunId(runId: string): void {
  if (runId === '') throw misused('Cannot store a run as its id is empty');
  if (!isWellFormed(runId))
    throw misused(`Cannot store run ${JSON.stringify(runId)} as its id is not well-formed text`);
}

/** True if every store can hold a text as it is. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}|\0/u.test(text);
}

/** Refuses a message that no run can apply. @throws `STORE_MISUSED` */
export function checkMessage({ runId, kind, item, body }: RunMessage): void {
  const cannot = `Cannot post to run ${runId} as`;
  if (kind === 'answer' && item === undefined) throw misused(`${cannot} an answer must name its item`);
  const copy = toJson(body);
  if (!copy.ok) throw misused(`${cannot} ${copy.problem.path} of its body is ${copy.problem.found}, which is not JSON`);
}

/** The error for a lease whose token is no longer valid. @param action Such as `append to`. */
export function leaseLost(action: string, { runId, holder }: Lease, current: Lease | undefined): PhasegateError {
  const now = current
    ? `${current.holder} has it now`
    : 'another process had it since, it was released, or the run was removed';
  return new PhasegateError('LEASE_LOST', `Cannot ${action} run ${runId} as ${holder} has lost its lease: ${now}`, {
    hint: 'Stop working on the run. Acquire it again to continue from its last record.',
  });
}

/** The error for a run that another process works on. @param action Such as `remove`. */
export function runLeased(action: string, { runId, holder, expiresAt }: Lease): PhasegateError {
  const time = new Date(expiresAt);
  // A damaged lease may have any time.
  const until = Number.isNaN(time.getTime()) ? 'a time that is none' : time.toISOString();
  return new PhasegateError('RUN_LEASED', `Cannot ${action} run ${runId} as ${holder} works on it until ${until}`, {
    hint: 'Wait until it has ended or its lease has expired, or end that process.',
  });
}

/** The error for a new run with the id of another. */
export function runExists(runId: string): PhasegateError {
  return new PhasegateError('RUN_EXISTS', `Cannot start run ${runId} as the store has a run with that id`, {
    hint: 'Resume it with resumeRun(), or start another run with another id.',
  });
}

/** The error for an unknown run. @param action Such as `cancel`. */
export function runUnknown(action: string, runId: string): PhasegateError {
  return new PhasegateError('RUN_UNKNOWN', `Cannot ${action} run ${runId} as the store has no run with that id`, {
    hint: 'List the runs of the store, and check that it is the right store.',
  });
}

/** The error for an unknown item. @param action Such as `answer`. */
export function itemUnknown(action: string, runId: string, item: string): PhasegateError {
  return new PhasegateError('ITEM_UNKNOWN', `Cannot ${action} item ${item} as run ${runId} has no item with that id`, {
    hint: 'List the inbox for the items that are open.',
  });
}

/**
 * The error for an item that takes no more answers.
 *
 * @param outcome Outcome of the item, if it is closed.
 * @param by Name of the person who answered or closed it; empty if unknown.
 */
export function answered(item: string, outcome: string | undefined, by = ''): PhasegateError {
  const who = by === '' ? '' : `, by ${by}`;
  const found = outcome === undefined ? `it has an answer already${who}` : `it is closed: ${outcome}${who}`;
  return new PhasegateError('ANSWERED', `Cannot answer item ${item} as ${found}`, {
    hint:
      outcome === undefined
        ? 'An item takes one answer, which is applied when the run continues: resume the run if no process works on it.'
        : 'An item takes one answer. List the inbox for the items that are open.',
  });
}

/** The error for a closed store. @param name The store, for people. */
export function storeClosed(name: string): PhasegateError {
  return new PhasegateError('STORE_CLOSED', `Cannot use ${name} as it is closed`, {
    hint: 'Close a store after the last run that uses it has ended.',
  });
}

/** The error for a mistake of the caller that no store can repair. */
export function misused(problem: string): PhasegateError {
  return new PhasegateError('STORE_MISUSED', problem, {
    hint: 'This is a mistake of the program that calls the store.',
  });
}

// --- internal ---

/** The methods that every store has. */
const METHODS: readonly (keyof RunStore)[] = [
  'append',
  'read',
  'run',
  'runs',
  'remove',
  'acquire',
  'renew',
  'release',
  'suspend',
  'ready',
  'inbox',
  'item',
  'post',
  'messages',
  'artifact',
  'close',
];
