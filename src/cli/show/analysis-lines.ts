/**
 * The analysis of a pipeline before it runs, as a table.
 *
 * @module
 */
import type { Analysis, PhaseBound } from '../../model/analysis/analyze.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { counted } from '../../model/values/counts.ts';
import { usageText } from '../../projections/wording/amount-words.ts';
import { span, type Line, type Tone } from '../terminal/line.ts';
import { oneLine, padEnd, widthOf } from '../terminal/text.ts';

/** Creates the lines: the verdict, the bounds of each phase, the shape of the graph, and remarks. */
export function analysisLines(plan: Plan, analysis: Analysis): readonly Line[] {
  const { levels, criticalPath, bounded, findings } = analysis;
  const tasks = plan.phases.reduce((sum, phase) => sum + phase.tasks.length, 0);
  const gates = plan.phases.filter((phase) => phase.gate).length;
  const facts = [counted(plan.phases.length, 'phase'), counted(tasks, 'task'), counted(gates, 'gate')];
  return [
    [span('✓ ', 'good'), span(oneLine(plan.name), 'strong'), span(` is sound: ${facts.join(', ')}`)],
    [],
    ...table(rowsOf(plan, analysis)),
    [],
    [
      span(
        `${counted(levels.length, 'level')}, of at most ${counted(Math.max(...levels.map((level) => level.length)), 'phase')}`,
      ),
    ],
    [span(`critical path: ${pathText(criticalPath)}`)],
    [bounded ? span('bounded: every run ends') : span('unbounded: a run may never end', 'warn')],
    ...findings.map(({ code, message }) => [span(`${code} `, 'warn'), span(oneLine(message))]),
  ];
}

// --- internal ---

interface Row {
  readonly cells: readonly string[];
  readonly tone: Tone;
}

/** The most phases of a path that are named: its first and its last. */
const MOST_OF_PATH = 20;

function pathText(path: readonly string[]): string {
  const names = path.map(oneLine);
  const rest = names.length - MOST_OF_PATH;
  const half = MOST_OF_PATH / 2;
  return (rest > 0 ? [...names.slice(0, half), `${rest} more`, ...names.slice(-half)] : names).join(' → ');
}

function rowsOf(plan: Plan, { bounds, worst }: Analysis): readonly Row[] {
  const after = new Map(plan.phases.map((phase) => [phase.name, phase.after]));
  return [
    { cells: ['at worst', 'after', 'starts', 'attempts', 'reviews', 'estimate'], tone: 'dim' },
    ...bounds.map((bound) => ({ cells: cellsOf(bound, after.get(bound.phase) ?? []), tone: 'plain' as const })),
    { cells: ['total', '', '', number(worst.attempts), number(worst.reviews), estimate(worst)], tone: 'strong' },
  ];
}

function cellsOf(bound: PhaseBound, after: readonly string[]): readonly string[] {
  const reviews = Object.entries(bound.reviews).map(([reviewer, times]) => `${oneLine(reviewer)} ${number(times)}`);
  return [
    oneLine(bound.phase),
    after.map(oneLine).join(', '),
    number(bound.starts),
    number(bound.attempts),
    reviews.join(', '),
    estimate(bound),
  ];
}

function number(value: number): string {
  return Number.isFinite(value) ? String(value) : 'unbounded';
}

/** Formats an estimate; unknown parts are left out. */
function estimate({ costUsd, tokens }: Pick<PhaseBound, 'costUsd' | 'tokens'>): string {
  const isUnbounded = [costUsd, tokens].some((value) => value === Infinity);
  return isUnbounded ? 'unbounded' : usageText({ costUsd: costUsd ?? 0, tokens: tokens ?? 0 });
}

/** Pads columns to their widest cell. Columns with nothing but a head are left out. */
function table(rows: readonly Row[]): readonly Line[] {
  const [head] = rows;
  const used = (head?.cells ?? []).map((_, column) => rows.slice(1).some(({ cells }) => cells[column] !== ''));
  const widths = used.map((_, column) => Math.max(...rows.map(({ cells }) => widthOf(cells[column] ?? ''))));
  return rows.map(({ cells, tone }) => {
    const shown = cells.flatMap((cell, column) => (used[column] ? [padEnd(cell, widths[column] ?? 0)] : []));
    return [span(shown.join('  ').trimEnd(), tone)];
  });
}
