/**
 * Verification of stored runs: their records, the contents that these refer to, and what a store lists of them.
 *
 * @module
 */
import { checkJournal } from '../../machines/replay/check-journal.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { runRecordSchema, type RunRecord } from '../../model/events/event.ts';
import { isSameJson } from '../../model/values/json.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import { foldRunInfo } from '../../projections/run/run-info.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';
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
}

/**
 * Verifies a stored run. It reads all of it, and changes nothing.
 *
 * Every record must be one, and follow the one before it. Contents must match their hashes. The machines must be able to write these
 * records: an approval needs its verdicts, outputs are those of tasks, and no counter exceeds its limit. The run and its items in the
 * inbox must be those of the records.
 *
 * @throws PhasegateError `RUN_UNKNOWN`; an error of the store that is not about this run.
 */
export async function verifyRun(given: RunStore, runId: string): Promise<Verification> {
  const store = patientStore(given);
  const listed = await store.run(runId);
  if (!listed) throw runUnknown('verify', runId);
  const records: RunRecord[] = [];
  const problem = await readAll(store, listed, records);
  if (problem !== undefined) return { runId, records: records.length, problems: [problem] };
  const journal = journalProblem(records);
  const problems = journal === undefined ? await rowProblems(store, listed, records) : [journal];
  return { runId, records: records.length, problems };
}

/** Checks that the machines could have written records. @returns The problem, as a sentence; `undefined` if there is none. */
export function journalProblem(records: readonly RunRecord[]): string | undefined {
  try {
    checkJournal(records);
    return undefined;
  } catch (error) {
    return errorInfo(error).message;
  }
}

// --- internal ---

/** Most records that are read at once. */
const AT_ONCE = 1000;

/** Reads all records. @returns The first problem. */
async function readAll(store: RunStore, { runId, seq }: ListedRun, records: RunRecord[]): Promise<string | undefined> {
  while (records.length < seq) {
    const from = records.length + 1;
    let part: readonly RunRecord[];
    try {
      part = await readRun(store, runId, from, Math.min(AT_ONCE, seq - from + 1));
    } catch (error) {
      if (!PhasegateError.is(error) || error.code !== 'STORE_UNREADABLE') throw error;
      return error.message;
    }
    if (part.length === 0) return `Records ${from} to ${seq} are missing.`;
    for (const record of part) {
      const due = records.length + 1;
      if (record.seq !== due) return `Record ${due} is missing.`;
      if (record.runId !== runId) return `Record ${due} is of another run.`;
      const { error } = runRecordSchema.safeParse(record);
      const [issue] = error?.issues ?? [];
      if (issue) return `Record ${due} is none: ${issue.path.join('.')} ${issue.message}`;
      records.push(record);
    }
  }
  return undefined;
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
  const wrong = Object.entries(known).flatMap(([key, value]) =>
    isSameJson(value, shown[key]) ? [] : [`The run is listed with another ${key}.`],
  );
  const items = await store.inbox({ runId, open: true });
  // A process that works on the run may have added to it.
  if ((await store.run(runId))?.seq !== listed.seq) return wrong;
  const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).toSorted();
  return isSameJson(idsOf(items), idsOf(open)) ? wrong : [...wrong, 'Its open items are not those of its records.'];
}
