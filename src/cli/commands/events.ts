/**
 * `phasegate events`.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { rootOf } from '../../runtime/child-ids.ts';
import type { ListedRun } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { pagesOf } from '../../store/pages.ts';
import { findRun } from '../options/find-run.ts';
import { withLiveness } from '../options/run-owner.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { createEventLines } from '../show/event-lines.ts';
import { resumeText } from '../show/next-steps.ts';
import { print } from '../terminal/print.ts';
import { isPlaced, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate events`. */
export interface EventsFlags extends StoreFlags {
  /** The number of the first record. @default 1 */
  readonly from?: number | undefined;
  /** True to print new records until the run ends. @default false */
  readonly follow?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Prints the records of a run. */
export async function printEvents(wanted: string, flags: EventsFlags, io: ProgramIo): Promise<ExitCode> {
  const { from = 1, follow = false, json = false } = flags;
  const opened = openStore(flags, 'read', io);
  const { runId, damage } = await findRun(opened, wanted);
  if (damage !== undefined) io.stderr.write(`phasegate: run ${oneLine(runId)} is damaged. ${oneLine(damage)}\n`);
  const reportIdle = createIdleReport(await rootOf(opened.store, runId), opened, io);
  const lineOf = json ? (record: RunRecord) => JSON.stringify(record) : await linesFrom(opened, runId, from);
  for (let next = from; ;) {
    for await (const page of pagesOf((at, limit) => readRun(opened.store, runId, at, limit), { from: next })) {
      next += page.length;
      if (!(await print(page.map((record) => `${lineOf(record)}\n`).join(''), io))) return exitCode.brokenPipe;
    }
    if (!follow) break;
    const run = await requireRun(opened, runId);
    if (isOver(run, next)) break;
    reportIdle(run);
    await setTimeout(POLL_MS);
  }
  await opened.store.close();
  return exitCode.completed;
}

// --- internal ---

/** Milliseconds between polls for new records. */
const POLL_MS = 200;

/** Creates a function that reports if no process works on the run, as no record may ever follow. It repeats the report only after work. */
function createIdleReport(root: string, opened: OpenStore, io: ProgramIo): (run: ListedRun) => void {
  let isReported = false;
  return (run) => {
    const isIdle = withLiveness(run).lease === undefined;
    if (isIdle && !isReported)
      io.stderr.write(
        `phasegate: no process works on the run now; ${resumeText('resume', root, opened, isPlaced(run.source))}\n`,
      );
    isReported = isIdle;
  };
}

/** Creates the conversion of records to lines, which needs the plan and the start time from the first record. */
async function linesFrom({ store }: OpenStore, runId: string, from: number): Promise<(record: RunRecord) => string> {
  const lines = createEventLines();
  if (from > 1) for (const record of await readRun(store, runId, 1, 1)) lines.recall(record);
  return lines;
}

/** Reads a run again. @throws PhasegateError `RUN_UNKNOWN` if it was removed meanwhile. */
async function requireRun(opened: OpenStore, runId: string): Promise<ListedRun> {
  const run = await opened.store.run(runId);
  if (run) return run;
  throw new PhasegateError('RUN_UNKNOWN', `Cannot follow run ${runId} to its end as it was removed meanwhile`, {
    hint: `The user who removed it may know how it ended. List the runs with: phasegate ls${storeArgument(opened)}`,
  });
}

/** True if no record will follow those that were read. */
function isOver({ status, seq }: ListedRun, next: number): boolean {
  return status !== 'running' && seq < next;
}
