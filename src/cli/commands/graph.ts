/**
 * `phasegate graph`.
 *
 * @module
 */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { toDot } from '../../../visualizations/pictures/dot.ts';
import { toMermaid } from '../../../visualizations/pictures/mermaid.ts';
import { mermaidExcess } from '../../../visualizations/pictures/mermaid-limits.ts';
import { runStandingOf, type RunStanding } from '../../../visualizations/pictures/run-standing.ts';
import { toSvg } from '../../../visualizations/pictures/svg.ts';
import { chartToDot } from '../../../visualizations/statechart/statechart-dot.ts';
import { chartToMermaid } from '../../../visualizations/statechart/statechart-mermaid.ts';
import { chartToSvg } from '../../../visualizations/statechart/statechart-svg.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { foldRun } from '../../projections/run/run-view.ts';
import { foldTimeline } from '../../projections/timeline/timeline.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import { charts } from '../../server/statecharts.ts';
import type { ListedRun } from '../../store/port.ts';
import { pagesOf } from '../../store/pages.ts';
import { readPlans } from '../../store/read-run.ts';
import { LATEST } from '../../store/run-id.ts';
import { loadPipeline } from '../load/load.ts';
import { findRun } from '../options/find-run.ts';
import { keptFilesOf, openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { outputOrStandard, refuseDefinitions, type OutputFile } from '../process/output-file.ts';
import { writeOut } from '../process/write-out.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** The format of a picture. */
export type GraphFormat = 'mermaid' | 'dot' | 'svg';

/** Flags of `phasegate graph`. */
export interface GraphFlags extends StoreFlags {
  /** The format of the picture. @default the format that fits the extension of `out`, else Mermaid */
  readonly format?: GraphFormat | undefined;
  readonly machine?: 'phase' | 'lifecycle' | 'pipeline' | undefined;
  /** A file. @default standard output */
  readonly out?: string | undefined;
}

/** Draws the pipeline of a file, a stored run, or a statechart. */
export async function drawGraph(wanted: string | undefined, flags: GraphFlags, io: ProgramIo): Promise<ExitCode> {
  const { machine, out } = flags;
  const pipeline = wanted !== undefined && (await isFile(wanted, io)) ? placeOf(wanted, io) : undefined;
  const file = outputOrStandard(out, { ...keptFilesOf(flags, io), pipeline }, io);
  const format = flags.format ?? formatOf(out);
  if (machine !== undefined) {
    if (wanted !== undefined) throw ofBoth(wanted, machine);
    return writeOut(
      drawMachine(machine, format),
      file,
      `the picture of ${MACHINES[machine]} is in ${oneLine(out ?? '')}`,
      io,
    );
  }
  if (wanted === undefined) throw ofNothing();
  const { plan, standing } = pipeline
    ? { plan: (await loadPipeline(wanted, io)).plan, standing: undefined }
    : await storedRun(wanted, file, flags, io);
  const what = standing ? `run ${standing.runId} of "${plan.name}"` : `"${plan.name}"`;
  const picture = draw[format](plan, standing);
  const excess = format === 'mermaid' ? mermaidExcess(picture) : undefined;
  if (excess !== undefined) io.stderr.write(`phasegate: ${excess} Add --format svg for that.\n`);
  return writeOut(picture, file, `the picture of ${oneLine(what)} is in ${oneLine(out ?? '')}`, io);
}

// --- internal ---

/** Codes of errors that say that no run was found. */
const NOTHING_FOUND: ReadonlySet<string> = new Set(['RUN_UNKNOWN', 'STORE_UNREADABLE']);

/** Extensions of pipeline files. */
const ENDINGS: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.yaml', '.yml']);

/** Extensions of picture files that select a format. */
const FORMATS: ReadonlyMap<string, GraphFormat> = new Map([
  ['.svg', 'svg'],
  ['.dot', 'dot'],
  ['.gv', 'dot'],
  ['.mmd', 'mermaid'],
  ['.mermaid', 'mermaid'],
  ['.md', 'mermaid'],
  ['.txt', 'mermaid'],
]);

const MACHINES = {
  phase: 'the machine of a phase',
  lifecycle: 'the lifecycle of a phase',
  pipeline: 'the machine of a pipeline',
} as const;

const draw = { mermaid: toMermaid, dot: toDot, svg: toSvg } as const;
const drawChart = { mermaid: chartToMermaid, dot: chartToDot, svg: chartToSvg } as const;

function drawMachine(machine: NonNullable<GraphFlags['machine']>, format: GraphFormat): string {
  return drawChart[format](charts()[machine]);
}

/** Returns the format that fits the extension of a file. A name without one, and standard output, get Mermaid. */
function formatOf(out = ''): GraphFormat {
  const extension = extname(out).toLowerCase();
  const format = extension === '' ? 'mermaid' : FORMATS.get(extension);
  if (format !== undefined) return format;
  const known = [...FORMATS.keys()];
  const problem = `Cannot draw a picture into "${oneLine(out)}" as ${oneLine(extension)} is no format of pictures here`;
  throw new PhasegateError('INPUT_INVALID', problem, {
    hint: `Name a file that ends in ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}, or add --format.`,
  });
}

/** True if the name is that of an existing file, or has the extension of a pipeline file. */
async function isFile(wanted: string, io: ProgramIo): Promise<boolean> {
  if (ENDINGS.has(extname(wanted).toLowerCase())) return true;
  const found = await stat(placeOf(wanted, io)).catch(() => undefined);
  return found?.isFile() ?? false;
}

async function foundRun(
  wanted: string,
  flags: StoreFlags,
  io: ProgramIo,
): Promise<{ opened: OpenStore; run: ListedRun }> {
  const opened = openStore(flags, 'read', io);
  return { opened, run: await findRun(opened, wanted) };
}

async function storedRun(
  wanted: string,
  file: OutputFile | undefined,
  flags: StoreFlags,
  io: ProgramIo,
): Promise<{ readonly plan: Plan; readonly standing: RunStanding }> {
  const { opened, run } = await withFileHint(wanted, () => foundRun(wanted, flags, io));
  refuseDefinitions(file, [run]);
  const view = foldRun();
  const timeline = foldTimeline();
  let plan: Plan | undefined;
  // Large values such as outputs, which are stored separately, are not loaded.
  for await (const page of pagesOf((from, limit) => readPlans(opened.store, run.runId, from, limit), { to: run.seq })) {
    for (const record of page) {
      const { event } = record;
      if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
      view.apply(record);
      timeline.apply(record);
    }
  }
  await opened.store.close();
  if (!plan) throw ofNoPlan(run.runId);
  const { arrows, bars } = timeline.timeline();
  const waiting = bars.filter(({ kind, to }) => kind === 'person' && to === null).map(({ phase }) => phase);
  return { plan, standing: runStandingOf(plan, view.snapshot(), arrows, new Set(waiting)) };
}

/** Extends the error about an unknown run, as the user may have meant a file. */
async function withFileHint<T>(wanted: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!PhasegateError.is(error) || wanted === LATEST || !NOTHING_FOUND.has(error.code)) throw error;
    // Several hints belong to an ambiguous run id, so the user meant no file.
    const [problem = '', ...hints] = problemText(error.message).split('\n');
    if (hints.length > 1) throw error;
    throw new PhasegateError(error.code, `Cannot draw "${oneLine(wanted)}" as there is no such file. ${problem}`, {
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error,
    });
  }
}

function ofBoth(wanted: string, machine: keyof typeof MACHINES): PhasegateError {
  const problem = `Cannot draw "${oneLine(wanted)}" and ${MACHINES[machine]} at once`;
  return new PhasegateError('INPUT_INVALID', problem, { hint: 'Leave out one of them.' });
}

function ofNothing(): PhasegateError {
  return new PhasegateError('INPUT_INVALID', 'Cannot draw a picture as no pipeline or run was named', {
    hint: `Name a pipeline file or a run, such as ${LATEST}; or add --machine phase.`,
  });
}

function ofNoPlan(run: string): PhasegateError {
  return new PhasegateError('STORE_UNREADABLE', `Cannot draw run ${oneLine(run)} as its records have no plan`, {
    hint: 'Draw its pipeline file instead.',
  });
}
