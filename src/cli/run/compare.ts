/**
 * `phasegate compare`.
 *
 * @module
 */
import { foldComparedRun, type ComparedRun } from '../../projections/compare/compared-run.ts';
import { compareRuns, type RunComparison } from '../../projections/compare/compare-runs.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ListedRun } from '../../store/port.ts';
import { pagesOf } from '../../store/pages.ts';
import { readRun } from '../../store/read-run.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from './reporter.ts';
import { comparisonLines } from '../show/comparison-lines.ts';
import { createPainter } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate compare`. */
export interface CompareFlags extends StoreFlags {
  readonly json?: boolean | undefined;
}

/**
 * Prints in what two runs differ.
 *
 * @param other The second run. @default the run that the first was forked from, which then is A
 */
export async function compareStored(
  wanted: string,
  other: string | undefined,
  { json = false, ...flags }: CompareFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const run = await findRun(opened, wanted);
  const [first, second] =
    other === undefined ? [await originOf(run, opened), run] : [run, await findRun(opened, other)];
  const comparison = compareRuns(await comparedRun(opened, first), await comparedRun(opened, second));
  await opened.store.close();
  const paint = createPainter(seesColours(io.stdout, io));
  const text = json ? `${asJson(comparison)}\n` : asText(comparisonLines(comparison).map(paint));
  return (await print(text, io)) ? exitCode.completed : exitCode.brokenPipe;
}

// --- internal ---

/** Writes the comparison without the phases of each run, as the comparison of phases has them. */
function asJson(comparison: RunComparison): string {
  return JSON.stringify({ ...comparison, runs: comparison.runs.map((run) => ({ ...run, phases: undefined })) });
}

async function originOf({ runId, forkOf }: ListedRun, opened: OpenStore): Promise<ListedRun> {
  const origin = forkOf === undefined ? undefined : await opened.store.run(forkOf);
  if (origin) return origin;
  const found = forkOf === undefined ? 'it is no fork' : `its origin ${oneLine(forkOf)} is not in the store`;
  throw new PhasegateError('RUN_UNKNOWN', `Cannot compare run ${oneLine(runId)} with its origin as ${found}`, {
    hint: `Name the other run, too: phasegate compare ${oneLine(runId)} <other>${storeArgument(opened)}`,
  });
}

/** Reads the records that a run has now. */
async function comparedRun({ store }: OpenStore, { runId, seq, forkOf }: ListedRun): Promise<ComparedRun> {
  const fold = foldComparedRun(forkOf);
  for await (const page of pagesOf((from, limit) => readRun(store, runId, from, limit), { to: seq })) {
    for (const record of page) fold.apply(record);
  }
  return fold.read();
}
