/**
 * The live tree: how a run stands, in as many lines as the terminal has.
 *
 * @module
 */
import type { Plan } from '../../model/plan.ts';
import type { RunSnapshot } from '../../model/result.ts';
import type { Board } from './board.ts';
import { fit, span, type Line, type Span } from './line.ts';
import { glyph, markOf, marks, type Mark } from './marks.ts';
import { correctionLines, isLive, phaseLine, taskLines, type PhaseRow } from './phase-lines.ts';
import { counted, duration, oneLine, outOf, usage, widthOf } from './text.ts';

/** The space there is. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Draws a board.
 *
 * @param size Never exceeded. Where not every phase fits, those at work and in trouble come first, and the rest is counted.
 * @param now Milliseconds since 1970, for what is still going on.
 */
export function treeLines(board: Board, size: Size, now: number): readonly Line[] {
  const { plan } = board;
  if (!plan || size.rows < 1 || size.columns < 1) return [];
  const snapshot = board.snapshot();
  const rows = plan.phases.flatMap((phase): PhaseRow[] => {
    const result = snapshot.phases[phase.name];
    return result ? [{ plan: phase, result, details: board.details(phase.name) }] : [];
  });
  const lines = [headLine(plan, snapshot, rows, now - board.startedAt), ...bodyLines(rows, size, now)];
  return lines.map((line) => fit(line, size.columns));
}

// --- internal ---

function headLine(plan: Plan, { status, metrics }: RunSnapshot, rows: readonly PhaseRow[], elapsed: number): Line {
  const { limits } = plan;
  const total = status === 'running' ? elapsed : metrics.durationMs;
  const used = usage(metrics);
  return [
    span(oneLine(plan.name), 'strong'),
    span(
      `  ${limits.durationMs === undefined ? duration(total) : `${duration(total)}/${duration(limits.durationMs)}`}`,
      'dim',
    ),
    ...countSpans(rows),
    ...(metrics.corrections > 0 || limits.corrections !== undefined
      ? [span(`  corrections ${outOf(metrics.corrections, limits.corrections)}`, 'dim')]
      : []),
    ...(used === '' ? [] : [span(`  ${used}`, 'dim')]),
  ];
}

/** How many phases carry each mark. */
function countSpans(rows: readonly PhaseRow[]): readonly Span[] {
  const counts = new Map<Mark, number>();
  for (const { result } of rows) counts.set(markOf(result), (counts.get(markOf(result)) ?? 0) + 1);
  return marks.flatMap((mark) => {
    const count = counts.get(mark) ?? 0;
    const { text, tone } = glyph(mark);
    return count === 0 ? [] : [span(`  ${text} ${count}`, tone)];
  });
}

function bodyLines(rows: readonly PhaseRow[], size: Size, now: number): readonly Line[] {
  const room = size.rows - 1;
  const shown = rows.length <= room ? rows : pick(rows, Math.max(0, room - 1));
  const rest = rows.length - shown.length;
  let left = room - shown.length - (rest > 0 ? 1 : 0);
  const nameWidth = Math.min(
    Math.max(0, ...shown.map(({ plan }) => widthOf(oneLine(plan.name)))),
    Math.max(8, Math.floor(size.columns / 3)),
  );
  const extra = (row: PhaseRow, of: (row: PhaseRow) => readonly Line[]): readonly Line[] => {
    const lines = of(row).slice(0, left);
    left -= lines.length;
    return lines;
  };
  // Feedback matters more than single tasks, so it gets its lines first.
  const corrections = shown.map((row) => extra(row, correctionLines));
  const tasks = shown.map((row) => extra(row, taskLines));
  const lines = shown.flatMap((row, index) => [
    phaseLine(row, nameWidth, now),
    ...(corrections[index] ?? []),
    ...(tasks[index] ?? []),
  ]);
  if (rest === 0 || room === 0) return lines;
  const hidden = new Set(shown);
  return [
    ...lines,
    [span(`… ${counted(rest, 'more phase')}`, 'dim'), ...countSpans(rows.filter((row) => !hidden.has(row)))],
  ];
}

/** The phases that matter most now, in the order of the definition. */
function pick(rows: readonly PhaseRow[], most: number): readonly PhaseRow[] {
  const groups: readonly PhaseRow[][] = [[], [], [], []];
  for (const row of rows) groups[urgency(row)]?.push(row);
  const ended = groups[2]?.toSorted((a, b) => (b.result.endedAt ?? 0) - (a.result.endedAt ?? 0)) ?? [];
  const [live = [], bad = [], , waiting = []] = groups;
  // Some room is kept for what comes next and what has just ended, so that the window shows where the run is.
  const ordered = [...live, ...bad, ...waiting.slice(0, 3), ...ended, ...waiting.slice(3)];
  const chosen = new Set(ordered.slice(0, most));
  return rows.filter((row) => chosen.has(row));
}

function urgency({ result: { status } }: PhaseRow): number {
  if (isLive(status)) return 0;
  if (status === 'failed' || status === 'rejected') return 1;
  return status === 'pending' ? 3 : 2;
}
