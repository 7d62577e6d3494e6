/**
 * The final screen of a run: the tree and the summary, which fit the window together.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import type { CountedLine } from '../show/excerpt.ts';
import { summaryLines, summaryParts } from '../show/summary.ts';
import { fit, plain, span, type Line } from '../terminal/line.ts';
import { rowsOf } from '../terminal/text.ts';
import type { RunFold } from './run-fold.ts';
import { treeLines, type Size } from './tree.ts';

/** The content of the final screen. */
export interface Ending {
  readonly state: RunFold;
  readonly result: RunResult<unknown>;
  /** The next steps. Their lines are never cut, as they contain commands. */
  readonly notes: readonly Line[];
  /** The command that shows everything that is left out. */
  readonly rest: string;
}

/**
 * Creates the final lines. The summary is complete if that leaves half of the window, or room for every phase, to the tree.
 * Otherwise a completed run shows its first outputs and counts the others. Another run shows its problems and counts its outputs.
 *
 * @param size Never exceeded, even by lines that wrap, unless the status and the notes alone need more.
 */
export function endingLines({ state, result, notes, rest }: Ending, size: Size, now: number): readonly Line[] {
  const whole = [...summaryLines(result, state.plan), ...notes].map((line) => fit(line, FULL_LINE));
  const used = heightOf(whole, size.columns);
  const all = (state.plan?.phases.length ?? 0) + 1;
  const summary =
    used <= size.rows / 2 || used + all <= size.rows ? whole : shortened({ state, result, notes, rest }, size);
  const rows = size.rows - heightOf(summary, size.columns);
  return [...treeLines(state, { columns: size.columns, rows }, now), ...summary];
}

// --- internal ---

/** The most columns of a line of the complete summary, which may wrap. */
const FULL_LINE = 2000;
/** The most rows of one line about a problem in the shortened summary. */
const LONGEST_TROUBLE = 3;
/** The number of last notes, which name the store of the run and the command that resumes it. */
const LAST_NOTES = 2;
/** The rows that the name of an output and two counts take. With no more rows, no output is shown. */
const MOST_LOST = 3;

function shortened({ state, result, notes, rest }: Ending, { columns, rows }: Size): readonly Line[] {
  const { status, trouble, warnings, outputs } = summaryParts(result, state.plan);
  const last = notes.slice(-LAST_NOTES);
  const room = Math.floor(rows / 2) - heightOf(last, columns);
  const items = taken(notes.slice(0, -LAST_NOTES), { columns, rows: room }, 'phasegate inbox');
  const ends = [...items, ...last];
  const left = Math.max(0, rows - heightOf([status, ...ends], columns));
  const isGood = result.status === 'completed';
  const wrong = taken(
    trouble.map((line) => fit(line, LONGEST_TROUBLE * columns)),
    { columns, rows: Math.floor((left * 2) / 3) },
    rest,
  );
  const warned = taken(
    warnings.map((line) => fit(line, columns)),
    { columns, rows: Math.floor(left / 6) },
    rest,
  );
  const most = isGood ? Math.floor((left * 2) / 3) - heightOf(warned, columns) : Math.min(1, left);
  return [status, ...wrong, ...warned, ...firstOutputs(outputs, { columns, rows: most }, rest), ...ends];
}

/** Returns the lines that fit, and a count of the others. */
function taken(lines: readonly Line[], { columns, rows }: Size, rest: string): readonly Line[] {
  if (heightOf(lines, columns) <= rows) return lines;
  if (rows < 1) return [];
  const shown = startOf(lines, { columns, rows: rows - 1 });
  return [...shown, restLine(counted(lines.length - shown.length, 'more line'), rest, columns)];
}

/** Does the same as {@link taken} for lines of one row each. Counts the lines of the output that are left out, shown by `show` or not. */
function startOfOutput(lines: readonly CountedLine[], { columns, rows }: Size, rest: string): readonly Line[] {
  const cut = lines.length <= rows ? lines : lines.slice(0, rows - 1);
  const shown = cut.map(({ line }) => fit(line, columns));
  const left = lines.slice(cut.length).reduce((sum, one) => sum + one.lines, 0);
  return left === 0 ? shown : [...shown, restLine(counted(left, 'more line'), rest, columns)];
}

/** Returns the outputs of as many phases as fit completely, or the start of the first one. Each line takes one row. */
function firstOutputs(
  outputs: readonly (readonly CountedLine[])[],
  { columns, rows }: Size,
  rest: string,
): readonly Line[] {
  const [first] = outputs;
  if (!first || rows < 1) return [];
  const shown: Line[] = [];
  let count = 0;
  for (const [at, lines] of outputs.entries()) {
    const counts = at === outputs.length - 1 ? 0 : 1;
    if (shown.length + lines.length + counts > rows) break;
    shown.push(...lines.map(({ line }) => fit(line, columns)));
    count += 1;
  }
  if (count === 0 && rows > MOST_LOST) {
    shown.push(...startOfOutput(first, { columns, rows: outputs.length === 1 ? rows : rows - 1 }, rest));
    count = 1;
  }
  const more = outputs.length - count;
  if (more === 0) return shown;
  return [...shown, restLine(`outputs of ${counted(more, count === 0 ? 'phase' : 'more phase')}`, rest, columns)];
}

function restLine(what: string, rest: string, columns: number): Line {
  return fit([span(`  … ${what}: ${rest}`, 'dim')], columns);
}

function startOf(lines: readonly Line[], { columns, rows }: Size): readonly Line[] {
  let left = rows;
  const end = lines.findIndex((line) => (left -= rowsOf(plain(line), columns)) < 0);
  return end === -1 ? lines : lines.slice(0, end);
}

function heightOf(lines: readonly Line[], columns: number): number {
  return lines.reduce((sum, line) => sum + rowsOf(plain(line), columns), 0);
}
