/**
 * The table of runs that `phasegate ls` prints.
 *
 * @module
 */
import { usageText } from '../../projections/wording/amount-words.ts';
import { statusMarks } from '../../projections/wording/status-marks.ts';
import type { ListedRun } from '../../store/port.ts';
import { standingOf } from '../../store/run-status.ts';
import { span, type Line } from '../terminal/line.ts';
import { cut, duration, oneLine, padEnd, widthOf } from '../terminal/text.ts';

/** Creates a head and a line for each run; a single line if there are no runs. @param now Milliseconds since 1970. */
export function runTable(runs: readonly ListedRun[], now: number): readonly Line[] {
  if (runs.length === 0) return [[span('no runs', 'dim')]];
  const rows = runs.map((run) => cellsOf(run, now));
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ''))));
  const line = (cells: readonly string[]) => cells.map((cell, column) => padEnd(cell, (widths[column] ?? 0) + 2));
  return [
    [span(line(HEAD).join(''), 'dim')],
    ...runs.map((run, index): Line => {
      const cells = line(rows[index] ?? []);
      return cells.map((text, column) => span(text, column === STATUS ? statusMarks[standingOf(run)].tone : 'plain'));
    }),
  ];
}

// --- internal ---

const HEAD = ['run', 'status', 'approved', 'started', 'used', 'pipeline'];
const STATUS = 1;
const LONGEST_NAME = 40;

function cellsOf(run: ListedRun, now: number): readonly string[] {
  const { runId, approved, phases, startedAt, pipeline, waiting } = run;
  const about = waiting.length === 0 ? '' : `: ${cut(waiting.map(oneLine).join(', '), LONGEST_NAME)}`;
  return [
    oneLine(runId),
    `${standingOf(run)}${about}`,
    `${approved}/${phases}`,
    `${duration(now - startedAt)} ago`,
    usageText(run),
    cut(oneLine(pipeline), LONGEST_NAME),
  ];
}
