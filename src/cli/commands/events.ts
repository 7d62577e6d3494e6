/**
 * `phasegate events`.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { ListedRun } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { findRun } from '../options/find-run.ts';
import { withLiveness } from '../options/run-owner.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { createEventLines } from '../show/event-lines.ts';
import { goOnText } from '../show/next-steps.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** What `phasegate events` takes beside the run. */
export interface EventsFlags extends StoreFlags {
  /** Number of the first record. @default 1 */
  readonly from?: number | undefined;
  /** Whether it goes on until the run has ended. */
  readonly follow?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Prints the records of a run. */
export async function printEvents(wanted: string, flags: EventsFlags, io: ProgramIo): Promise<ExitCode> {
  const { from = 1, follow = false, json = false } = flags;
  const kept = openStore(flags, 'read', io);
  const { runId } = await findRun(kept, wanted);
  const worried = createWorry(kept, io);
  const say = json ? (record: RunRecord) => JSON.stringify(record) : await linesFrom(kept, runId, from);
  for (let next = from; ;) {
    const records = await readRun(kept.store, runId, next, AT_ONCE);
    next += records.length;
    if (!(await print(records.map((record) => `${say(record)}\n`).join(''), io))) return exitCode.brokenPipe;
    if (records.length === AT_ONCE) continue;
    if (!follow) break;
    const run = await stillThere(kept, runId);
    if (isOver(run, next)) break;
    worried(run);
    await setTimeout(LOOK_MS);
  }
  await kept.store.close();
  return exitCode.completed;
}

// --- internal ---

/** Records that are read at once. */
const AT_ONCE = 1000;
/** Milliseconds between looks at what is new. */
const LOOK_MS = 200;

/** Says it when nobody works on a run that is followed, as nothing may ever come then; once, until somebody does again. */
function createWorry(kept: OpenStore, io: ProgramIo): (run: ListedRun) => void {
  let said = false;
  return (run) => {
    const left = withLiveness(run).lease === undefined;
    if (left && !said)
      io.stderr.write(
        `phasegate: nobody works on the run now; ${goOnText('resume', run.runId, kept, run.source !== undefined)}\n`,
      );
    said = left;
  };
}

/** Lines know the plan and the start of the run, which its first record brings. */
async function linesFrom({ store }: OpenStore, runId: string, from: number): Promise<(record: RunRecord) => string> {
  const lines = createEventLines();
  if (from > 1) for (const record of await readRun(store, runId, 1, 1)) lines.recall(record);
  return lines;
}

/** @throws PhasegateError `RUN_UNKNOWN` where the run was removed, of which its end will never be known. */
async function stillThere(kept: OpenStore, runId: string): Promise<ListedRun> {
  const run = await kept.store.run(runId);
  if (run) return run;
  throw new PhasegateError('RUN_UNKNOWN', `Cannot follow run ${runId} to its end as it was removed meanwhile`, {
    hint: `Whoever has removed it can tell how it had ended. See which runs there are with: phasegate ls${storeArgument(kept)}`,
  });
}

/** Whether nothing follows on what was read. */
function isOver({ status, seq }: ListedRun, next: number): boolean {
  return status !== 'running' && seq < next;
}
