/**
 * The table of runs that `phasegate ls` prints.
 *
 * @module
 */
import { workedMsOf } from '../../projections/run/run-order.ts';
import { usageText } from '../../projections/wording/amount-words.ts';
import { statusMarks } from '../../projections/wording/status-marks.ts';
import type { ListedRun } from '../../store/port.ts';
import { standingOf, type Standing } from '../../store/run-status.ts';
import { span, type Line } from '../terminal/line.ts';
import { cut, duration, oneLine, padEnd, widthOf } from '../terminal/text.ts';

/** A run, with its status in one word. */
export type ShownRun = ListedRun & { readonly standing: Standing };

/** Adds the status in one word. */
export function withStanding(run: ListedRun): ShownRun {
  return { ...run, standing: standingOf(run) };
}

/**
 * Creates a head and a line for each run; a single line if there are no runs. The column of tags is there if any run has some.
 *
 * @param now Milliseconds since 1970.
 */
export function runTable(runs: readonly ShownRun[], now: number): readonly Line[] {
  if (runs.length === 0) return [[span('no runs', 'dim')]];
  const columns = COLUMNS.filter(({ title }) => title !== 'tags' || runs.some(({ tags }) => tags !== undefined));
  const rows = runs.map((run) => columns.map(({ cell }) => cell(run, now)));
  const widths = columns.map(({ title }, column) =>
    Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) => cells.map((cell, column) => padEnd(cell, (widths[column] ?? 0) + 2));
  const status = columns.findIndex(({ title }) => title === 'status');
  return [
    [span(line(columns.map(({ title }) => title)).join(''), 'dim')],
    ...runs.map(({ standing }, index): Line => {
      const cells = line(rows[index] ?? []);
      return cells.map((text, column) => span(text, column === status ? statusMarks[standing].tone : 'plain'));
    }),
  ];
}

// --- internal ---

interface Column {
  readonly title: string;
  readonly cell: (run: ShownRun, now: number) => string;
}

const LONGEST_NAME = 40;

const COLUMNS: readonly Column[] = [
  { title: 'run', cell: ({ runId }) => oneLine(runId) },
  { title: 'status', cell: statusText },
  { title: 'approved', cell: ({ approved, phases }) => `${approved}/${phases}` },
  { title: 'started', cell: ({ startedAt }, now) => `${duration(now - startedAt)} ago` },
  { title: 'worked', cell: workedText },
  { title: 'used', cell: usageText },
  { title: 'pipeline', cell: ({ pipeline }) => cut(oneLine(pipeline), LONGEST_NAME) },
  { title: 'tags', cell: ({ tags = [] }) => cut(oneLine(tags.join(' ')), 2 * LONGEST_NAME) },
];

function statusText({ standing, waiting }: ShownRun): string {
  const about = waiting.length === 0 ? '' : `: ${cut(waiting.map(oneLine).join(', '), LONGEST_NAME)}`;
  return `${standing}${about}`;
}

function workedText(run: ShownRun, now: number): string {
  const ms = workedMsOf(run, now);
  return ms === undefined ? '' : duration(ms);
}
