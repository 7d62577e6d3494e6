/**
 * The live tree: the state of a run in as many lines as the terminal has.
 *
 * @module
 */
import { fit, lineWidth, span, type Line } from '../terminal/line.ts';
import { glyph, markedText, markOf, marks, type Mark } from '../terminal/marks.ts';
import { cut, oneLine, widthOf } from '../terminal/text.ts';
import { levelLine, subtaskLines, type LevelRow } from './level-lines.ts';
import { correctionLines, factLines, phaseLine, taskLines, type PhaseRow } from './phase-lines.ts';
import { progressLine } from './progress-line.ts';
import type { RunFold } from './run-fold.ts';
import { windowOf } from './window.ts';

/** The available space. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Draws the tree, with the progress of the run in the last line.
 *
 * @param size Never exceeded. If not every phase fits, the most important ones are shown and the rest is counted.
 * @param now Milliseconds since 1970, at which running times end.
 */
export function frameLines(state: RunFold, size: Size, now: number): readonly Line[] {
  if (!state.plan || size.rows < 1 || size.columns < 1) return [];
  const tree = treeLines(state, { columns: size.columns, rows: size.rows - 1 }, now);
  return [...tree, fit(progressLine(state, size.columns, now), size.columns)];
}

/** Draws the tree without the last line. */
export function treeLines(state: RunFold, size: Size, now: number): readonly Line[] {
  const { plan } = state;
  if (!plan || size.rows < 1 || size.columns < 1) return [];
  const rows = rowsOf(state);
  const hasHead = size.rows >= LINES_WITH_HEAD;
  const head = hasHead ? [headLine(plan.name, rows, size.columns)] : [];
  const lines = [...head, ...bodyLines(rows, { ...size, rows: size.rows - head.length }, now)];
  return lines.map((line) => fit(line, size.columns));
}

// --- internal ---

/** The least rows with a head line. With fewer rows, phases are more important. */
const LINES_WITH_HEAD = 3;
const SHORTEST_NAME = 8;
/** Marks that are counted first for phases that are not shown. */
const URGENT = [
  'escalated',
  'running',
  'reviewing',
  'retrying',
  'failed',
  'rewinding',
] as const satisfies readonly Mark[];

function rowsOf(state: RunFold): readonly PhaseRow[] {
  const { phases } = state.snapshot();
  const waiting = state.waiting().phases;
  const levels = state.levels();
  return (state.plan?.phases ?? []).flatMap((plan): PhaseRow[] => {
    const { name } = plan;
    const result = phases[name];
    if (!result) return [];
    const [details, level, children] = [state.details(name), levels.get(name), state.children(name)];
    const timesAt = (now: number) => state.phaseTimes(name, now);
    return [{ plan, result, details, level, children, waits: waiting.has(name), timesAt }];
  });
}

function isLevel(row: PhaseRow): row is LevelRow {
  return row.level !== undefined;
}

function headLine(name: string, rows: readonly PhaseRow[], columns: number): Line {
  const counts = countsOf(rows).map(([mark, count]) => {
    const { text, tone } = glyph(mark);
    return span(`  ${text} ${count}`, tone);
  });
  const room = columns - lineWidth(counts);
  if (room < SHORTEST_NAME)
    return counts.map((count, at) => (at === 0 ? { ...count, text: count.text.trimStart() } : count));
  return [span(cut(oneLine(name), room), 'strong'), ...counts];
}

/** Counts the phases by mark. */
function countsOf(rows: readonly PhaseRow[]): readonly (readonly [Mark, number])[] {
  const counts = new Map<Mark, number>();
  for (const { result, waits } of rows) {
    const mark = markOf(result, waits);
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return marks.flatMap((mark) => {
    const count = counts.get(mark) ?? 0;
    return count === 0 ? [] : [[mark, count] as const];
  });
}

function bodyLines(rows: readonly PhaseRow[], { columns, rows: room }: Size, now: number): readonly Line[] {
  if (room < 1) return [];
  const isWhole = rows.length <= room;
  const window = windowOf(rows, isWhole ? room : room - 1, (row) => moreLines(row, columns, now));
  const { shown } = window;
  const names = shown.flatMap((row) => (isLevel(row) ? [] : widthOf(oneLine(row.plan.name))));
  const longest = Math.max(0, ...names);
  const nameWidth = Math.min(longest, nameSpace(columns));
  let { left } = window;
  const extra = (row: PhaseRow, of: (row: PhaseRow, most: number) => readonly Line[]): readonly Line[] => {
    const lines = of(row, left).slice(0, left);
    left -= lines.length;
    return lines;
  };
  // Corrections are more important than single tasks, so they get their lines first.
  const corrections = shown.map((row) => extra(row, changeLines));
  const tasks = shown.map((row) => extra(row, workLines));
  const children = shown.map((row) => extra(row, (one, most) => childLines(one, { columns, rows: most }, now)));
  const lines = shown.flatMap((row, index) => [
    isLevel(row) ? levelLine(row, columns, now) : phaseLine(row, { columns, nameWidth }, now),
    ...(corrections[index] ?? []),
    ...(tasks[index] ?? []),
    ...(children[index] ?? []),
  ]);
  return isWhole ? lines : [...lines, restLine(rows, new Set(shown), columns)];
}

/** Counts the lines below the line of a phase. */
function moreLines(row: PhaseRow, columns: number, now: number): number {
  const children = childLines(row, { columns, rows: Infinity }, now);
  return changeLines(row).length + workLines(row, Infinity).length + children.length;
}

/** Draws the demand on a phase. The line of a level has it already. */
function changeLines(row: PhaseRow): readonly Line[] {
  return isLevel(row) ? [] : correctionLines(row);
}

/** Draws facts for people, and the subtasks of a level, or the tasks of another phase. A task that has started a run is shown by that run. */
function workLines(row: PhaseRow, most: number): readonly Line[] {
  const works = isLevel(row) ? subtaskLines(row, most) : row.children.length === 0 ? taskLines(row, most) : [];
  return [...factLines(row, most - works.length), ...works];
}

/** Draws the runs that the tasks of a phase have started. */
function childLines({ children }: PhaseRow, { columns, rows }: Size, now: number): readonly Line[] {
  const space = { columns: columns - INDENT.length, rows: Math.floor(rows / Math.max(1, children.length)) };
  return children.flatMap((child) => bodyLines(rowsOf(child), space, now).map((line) => [span(INDENT), ...line]));
}

const INDENT = '  ';

/** Returns the columns for names: a third of a wide line. On a narrow line the name is more important than the rest. */
function nameSpace(columns: number): number {
  return Math.max(SHORTEST_NAME, Math.floor(columns / 3), Math.min(24, columns - 5));
}

/** Counts the phases that are not shown, by mark. */
function restLine(rows: readonly PhaseRow[], shown: ReadonlySet<PhaseRow>, columns: number): Line {
  const counts = new Map(countsOf(rows.filter((row) => !shown.has(row))));
  const text = [...new Set([...URGENT, ...counts.keys()])]
    .flatMap((mark) => markedText(mark, counts.get(mark) ?? 0))
    .join(', ');
  return [span(cut(`… ${text}`, columns), 'dim')];
}
