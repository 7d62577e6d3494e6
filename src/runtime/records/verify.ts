/**
 * Verification of stored runs: their records, the contents that these refer to, and what a store lists of them.
 *
 * @module
 */
import { checkJournal } from '../../machines/replay/check-journal.ts';
import { errorInfo, hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { runRecordSchema, type RunRecord } from '../../model/events/event.ts';
import { guardRedact } from '../../model/events/guard-redact.ts';
import type { Redact } from '../../model/events/redact.ts';
import { endFrom } from '../../model/events/run-end.ts';
import { sealIn, startSeal } from '../../model/events/seal.ts';
import { isSameJson } from '../../model/values/json.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { foldRunInfo } from '../../projections/run/run-info.ts';
import { DAMAGED, PlanDamagedError, sentenceOf } from '../../store/damage.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';
import { pagesOf } from '../../store/pages.ts';
import { readRun } from '../../store/read-run.ts';
import { runUnknown } from '../../store/refusals.ts';
import { patientStore } from './patient-store.ts';

/** Result of {@link verifyRun}. */
export interface Verification {
  readonly runId: string;
  /** Number of records that were read, from the first one on. */
  readonly records: number;
  /** Damage and contradictions, each as a sentence; empty for a run that can be trusted. */
  readonly problems: readonly string[];
  /** Number of records, from the first one on, that no problem is about. A fork of the run can begin with them. */
  readonly good: number;
  /** True if the plan is missing or was changed. Another run of the same definition stores it again. */
  readonly isPlanDamaged: boolean;
  /** The seal of these records: their SHA-256 as lines of JSON. Kept elsewhere, it can be verified later. */
  readonly seal: string;
  /** Number of records that have the given seal, if there is one. */
  readonly sealed?: number | undefined;
  /** Number of the first record that was stored with a checksum; absent if all were. */
  readonly checkedFrom?: number | undefined;
}

/** Options of {@link verifyRun}. */
export interface VerifyOptions {
  /** A seal of this run that was kept elsewhere. The run may have more records by now. */
  readonly seal?: string | undefined;
  /** The function of your own that has masked texts of this run (`redact` of `startRun`). Free texts are then not compared. @default none */
  readonly redact?: Redact | undefined;
}

/**
 * Verifies a stored run. It reads all of it, and changes nothing.
 *
 * Every record must be one, and follow the one before it. Contents must match their hashes. The machines must be able to write these
 * records: an approval needs its verdicts, outputs are those of tasks, and no counter exceeds its limit. The run and its items in the
 * inbox must be those of the records, and the messages to it readable. A given seal must be that of its first records, or of all.
 *
 * @throws PhasegateError `RUN_UNKNOWN`; `INPUT_INVALID` if the given seal is none; an error of the store that is not about this run.
 */
export async function verifyRun(
  given: RunStore,
  runId: string,
  { seal: kept, redact }: VerifyOptions = {},
): Promise<Verification> {
  const wanted = kept === undefined ? undefined : readSeal(kept);
  const problemOf = (some: readonly RunRecord[]) => journalProblem(some, redact);
  const store = patientStore(given);
  const listed = await store.run(runId);
  if (!listed) throw runUnknown('verify', runId);
  const { checkedFrom, damage } = listed;
  const records: RunRecord[] = [];
  const unread = await readAll(store, listed, records);
  const damaged = PhasegateError.is(unread) ? sentenceOf(unread) : unread;
  const seal = startSeal();
  let sealed: number | undefined;
  for (const record of records) {
    seal.add(record);
    if (wanted !== undefined && seal.hex() === wanted) sealed = record.seq;
  }
  const forged = records.length === 0 ? undefined : problemOf(records);
  const problems = [damage, damaged, forged].filter((problem) => problem !== undefined);
  if (damaged === undefined && forged === undefined) problems.push(...(await contradictions(store, listed, records)));
  const isUnsealed = wanted !== undefined && sealed === undefined;
  if (isUnsealed)
    problems.push('No number of its records has the given seal: they were changed since, or it is of another run.');
  return {
    runId,
    records: records.length,
    problems,
    good: isUnsealed ? 0 : goodOf(records, forged, problemOf),
    isPlanDamaged: unread instanceof PlanDamagedError,
    seal: seal.hex(),
    ...(sealed !== undefined && { sealed }),
    ...(checkedFrom !== undefined && { checkedFrom }),
  };
}

/**
 * Looks for damage of a run. It reads all of it, and does not ask the machines, which takes most of the time of {@link verifyRun}.
 *
 * @returns The damage, as a sentence; `undefined` if there is none, or the run was removed.
 */
export async function damageOf(given: RunStore, listed: ListedRun): Promise<string | undefined> {
  const store = patientStore(given);
  const { runId } = listed;
  const unread = listed.damage ?? (await readAll(store, listed, []));
  const found = PhasegateError.is(unread) ? sentenceOf(unread) : unread;
  const damage = found ?? (await messageProblem(store, runId)) ?? damagedItems(await store.inbox({ runId }))[0];
  return damage !== undefined && (await store.run(runId)) ? damage : undefined;
}

/**
 * Checks that the machines could have written records.
 *
 * @param redact The function of the caller that has masked them. @default none
 * @returns The problem, as a sentence; `undefined` if there is none.
 */
export function journalProblem(records: readonly RunRecord[], redact?: Redact): string | undefined {
  try {
    checkJournal(records, redact && guardRedact(redact));
    return undefined;
  } catch (error) {
    return PhasegateError.is(error) ? sentenceOf(error) : errorInfo(error).message;
  }
}

// --- internal ---

/** Reads all records. @returns The first problem. */
async function readAll(
  store: RunStore,
  { runId, seq }: ListedRun,
  records: RunRecord[],
): Promise<string | PhasegateError | undefined> {
  try {
    for await (const page of pagesOf((from, limit) => readRun(store, runId, from, limit), { to: seq })) {
      for (const record of page) {
        const due = records.length + 1;
        if (record.seq !== due) return `Record ${due} is missing.`;
        if (record.runId !== runId) return `Record ${due} is of another run.`;
        const { error } = runRecordSchema.safeParse(record);
        const [issue] = error?.issues ?? [];
        if (issue) return `Record ${due} is none: ${issue.path.join('.')} ${issue.message}`;
        records.push(record);
      }
    }
  } catch (error) {
    return damageIn(error);
  }
  return records.length < seq ? `Records ${records.length + 1} to ${seq} are missing.` : undefined;
}

function readSeal(text: string): string {
  const seal = sealIn(text);
  if (seal !== undefined) return seal;
  throw new PhasegateError('INPUT_INVALID', `Cannot verify a run with the seal "${text.slice(0, 80)}" as it is none`, {
    hint: 'A seal has 64 hexadecimal digits. phasegate show prints that of a run.',
  });
}

/** Number of first records that the machines could have written. @param forged The problem of all together. */
function goodOf(
  records: readonly RunRecord[],
  forged: string | undefined,
  problemOf: (records: readonly RunRecord[]) => string | undefined,
): number {
  // A fork cannot begin with the records of an end.
  if (forged === undefined) return records.length === 0 ? 0 : endFrom(records, records.length);
  let [possible, impossible] = [0, records.length];
  while (impossible - possible > 1) {
    const middle = Math.floor((possible + impossible) / 2);
    if (problemOf(records.slice(0, middle)) === undefined) possible = middle;
    else impossible = middle;
  }
  return possible;
}

/** Compares the records with all that the store has of the run. */
async function contradictions(store: RunStore, listed: ListedRun, records: readonly RunRecord[]): Promise<string[]> {
  const found = listed.damage === undefined ? await rowProblems(store, listed, records) : [];
  const unread = await messageProblem(store, listed.runId);
  return unread === undefined ? found : [...found, unread];
}

/** Reads the messages to a run. @returns Their damage. */
async function messageProblem(store: RunStore, runId: string): Promise<string | undefined> {
  try {
    await store.messages(runId);
    return undefined;
  } catch (error) {
    return sentenceOf(damageIn(error));
  }
}

/** The damage of items that cannot be read. */
function damagedItems(items: readonly InboxItem[]): readonly string[] {
  return items.filter(({ because }) => because === DAMAGED).map(({ reason }) => reason);
}

/** Returns an error about damage. @throws every other error */
function damageIn(error: unknown): PhasegateError {
  if (hasCode(error, 'STORE_UNREADABLE')) return error;
  throw error;
}

/** Compares the run and its items with its records. */
async function rowProblems(store: RunStore, listed: ListedRun, records: readonly RunRecord[]): Promise<string[]> {
  const { forkOf, source, startedAt, runId } = listed;
  const info = foldRunInfo({ forkOf, source, startedAt });
  const inbox = foldInbox();
  for (const record of records) {
    info.apply(record);
    inbox.apply(record);
  }
  const open = inbox.open();
  const known = info.info([...new Set(open.map(({ about }) => about))]);
  const shown: Readonly<Record<string, unknown>> = { ...listed };
  // Earlier versions list a run without its time of work.
  const wrong = Object.entries(known).flatMap(([key, value]) =>
    isSameJson(value, shown[key]) || (key === 'workedMs' && shown[key] === undefined)
      ? []
      : [`The run is listed with another ${key}.`],
  );
  const items = await store.inbox({ runId });
  // A process that works on the run may have added to it.
  if ((await store.run(runId))?.seq !== listed.seq) return wrong;
  const damaged = damagedItems(items);
  if (damaged.length > 0) return [...wrong, ...damaged];
  const inOrder = (all: readonly InboxItem[]) => all.toSorted((a, b) => a.seq - b.seq);
  const stored = items.filter(({ closedAt }) => closedAt === undefined);
  if (isSameJson(inOrder(stored), inOrder(open))) return wrong;
  return [...wrong, 'Its open items are not those of its records.'];
}
