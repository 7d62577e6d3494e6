/**
 * `phasegate coverage`.
 *
 * @module
 */
import type { Plan } from '../../model/plan/plan.ts';
import { coverageLines } from '../../projections/coverage/coverage-lines.ts';
import { foldCoverage, type Coverage, type CoverageOptions } from '../../projections/coverage/coverage.ts';
import type { ListedRun } from '../../store/port.ts';
import { LATEST } from '../../store/run-id.ts';
import { goodRuns, type GoodRun } from '../options/good-runs.ts';
import { findRun, findRuns } from '../options/find-run.ts';
import { keptFilesOf, openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { outputFile, refuseDefinitions } from '../process/output-file.ts';
import { writeOut } from '../process/write-out.ts';
import { coverageDocument } from '../report/coverage-document.ts';
import { asHtml } from '../report/html.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { createPainter, span, type Line } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate coverage`. */
export interface CoverageFlags extends StoreFlags {
  readonly pipeline?: string | undefined;
  readonly allowChanged?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** A file for an HTML page. */
  readonly html?: string | undefined;
  /** The least share of entries that runs have to show, 0 to 100. */
  readonly threshold?: number | undefined;
}

/** Prints what the named runs have shown of their pipeline; all runs of the pipeline that was started last if none is named. */
export async function coverRuns(wanted: readonly string[], flags: CoverageFlags, io: ProgramIo): Promise<ExitCode> {
  const { html, json, threshold = 0 } = flags;
  const file = html === undefined ? undefined : outputFile(html, keptFilesOf(flags, io), io);
  const opened = openStore(flags, 'read', io);
  const isNamed = wanted.length > 0;
  const pipeline = flags.pipeline ?? (isNamed ? undefined : (await findRun(opened, LATEST)).pipeline);
  const runs = await findRuns(opened, wanted, { pipeline });
  refuseDefinitions(file, runs);
  const { coverage, unreadable } = await readCoverage(opened, runs, { ...flags, isNamed }, io);
  await opened.store.close();
  const isWhole = unreadable.length === 0;
  if (!coverage) {
    const none = isWhole ? 'no runs\n' : 'no run could be read\n';
    if (!(await print(json ? 'null\n' : none, io))) return exitCode.brokenPipe;
    return threshold > 0 || !isWhole ? exitCode.unsuccessful : exitCode.completed;
  }
  const paint = createPainter(seesColours(io.stdout, io));
  const text = json
    ? `${JSON.stringify({ ...coverage, unreadable })}\n`
    : asText(linesOf(coverage, unreadable.length).map(paint));
  if (!(await print(text, io))) return exitCode.brokenPipe;
  if (file) {
    const note = `the coverage of "${oneLine(coverage.pipeline)}" is in ${oneLine(file.name)}`;
    const page = asHtml(coverageDocument(coverage, unreadable.length));
    await writeOut(page, file, note, json ? { ...io, stdout: io.stderr } : io);
  }
  if (coverage.shown * 100 >= coverage.asked * threshold) return isWhole ? exitCode.completed : exitCode.unsuccessful;
  io.stderr.write(`phasegate: the coverage is below the threshold of ${threshold} %\n`);
  return exitCode.unsuccessful;
}

// --- internal ---

/** The coverage of the runs that could be read, and the ids of the others. */
interface CoverageRead {
  /** `undefined` if no run could be read. */
  readonly coverage: Coverage | undefined;
  readonly unreadable: readonly string[];
}

/** Reads the coverage of the pipeline by its definition in the latest of the runs. */
async function readCoverage(
  opened: OpenStore,
  runs: readonly ListedRun[],
  { allowChanged, isNamed }: Pick<CoverageFlags, 'allowChanged'> & { readonly isNamed: boolean },
  io: ProgramIo,
): Promise<CoverageRead> {
  const read: GoodRun[] = [];
  for await (const one of goodRuns(opened, runs, isNamed, io)) read.push(one);
  const good = new Set(read.map(({ run }) => run.runId));
  const unreadable = runs.map(({ runId }) => runId).filter((runId) => !good.has(runId));
  const [latest] = read.toSorted((a, b) => b.run.startedAt - a.run.startedAt);
  const plan = latest && planOf(latest);
  if (!plan) return { coverage: undefined, unreadable };
  // A run that the user has named is refused instead of left out.
  const unlike: CoverageOptions['otherPlans'] = isNamed ? 'refuse' : 'skip';
  const fold = foldCoverage(plan, { otherPlans: allowChanged ? 'count' : unlike });
  for (const { records } of read) for (const record of records) fold.apply(record);
  return { coverage: fold.coverage(), unreadable };
}

function planOf({ records }: GoodRun): Plan | undefined {
  let plan: Plan | undefined;
  for (const { event } of records)
    if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
  return plan;
}

function linesOf(coverage: Coverage, unreadable: number): readonly Line[] {
  const [summary = '', ...rest] = coverageLines(coverage, unreadable).map(stripControls);
  return [[span(summary, coverage.missing.length === 0 ? 'good' : 'strong')], ...rest.map((line) => [span(line)])];
}
