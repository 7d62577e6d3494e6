/**
 * Selection of the phases to show if not all fit.
 *
 * @module
 */
import { isLive, isOver, type PhaseRow } from './phase-lines.ts';

/** The selected phases, in the order of the definition, so that they keep their places. */
export interface Window {
  readonly shown: readonly PhaseRow[];
  /** The number of lines that are left for details of the selected phases. */
  readonly left: number;
}

/**
 * Selects the most urgent phases: first those that wait for a person, then those at work, those that failed, and those that
 * wait for a correction. At most half of the other lines are for details of these. The rest is for phases that come next or
 * have just ended, so that the window shows the progress of the run.
 *
 * If all phases have ended, it selects the remarkable ones, in this order: failed, accepted without an approval, stale, skipped,
 * cancelled, sent back. Phases that were approved at first are left out.
 *
 * @param lines The number of lines for phases.
 * @param extra Returns the number of detail lines that a phase could use.
 */
export function windowOf(rows: readonly PhaseRow[], lines: number, extra: (row: PhaseRow) => number): Window {
  if (rows.length <= lines) return { shown: rows, left: lines - rows.length };
  if (rows.every(({ result }) => isOver(result))) return { shown: remarkable(rows, lines), left: 0 };
  const groups: readonly PhaseRow[][] = [[], [], [], [], [], []];
  for (const row of rows) groups[urgency(row)]?.push(row);
  const [escalated = [], working = [], bad = [], corrected = [], waiting = [], ended = []] = groups;
  const urgent = [...escalated, ...working, ...bad, ...corrected].slice(0, lines);
  const more = urgent.reduce((sum, row) => sum + extra(row), 0);
  const left = Math.min(more, Math.floor((lines - urgent.length) / 2));
  const latest = ended.toSorted((a, b) => (b.result.endedAt ?? 0) - (a.result.endedAt ?? 0));
  const others = [...waiting.slice(0, NEXT), ...latest, ...waiting.slice(NEXT)];
  const chosen = new Set([...urgent, ...others.slice(0, lines - urgent.length - left)]);
  return { shown: rows.filter((row) => chosen.has(row)), left };
}

// --- internal ---

/** The most pending phases that take precedence over phases that have ended. */
const NEXT = 3;

/** Selects the remarkable phases, the worst ones if there are too many. */
function remarkable(rows: readonly PhaseRow[], most: number): readonly PhaseRow[] {
  const ranked = rows.map((row) => ({ row, rank: remark(row) })).filter(({ rank }) => rank < UNREMARKABLE);
  const chosen = new Set(ranked.toSorted(byRank).slice(0, most));
  return ranked.flatMap((one) => (chosen.has(one) ? one.row : []));
}

interface Ranked {
  readonly row: PhaseRow;
  readonly rank: number;
}

function byRank(one: Ranked, other: Ranked): number {
  return one.rank - other.rank || other.row.result.attempts - one.row.result.attempts;
}

const UNREMARKABLE = 6;

/** Ranks a phase; 0 is the worst. A phase that was sent back and then approved comes last. */
function remark({ result: { status, because, stale, attempts } }: PhaseRow): number {
  if (status === 'failed' || status === 'rejected') return 0;
  if (status === 'skipped') return 3;
  if (status === 'cancelled') return 4;
  if (because !== null && because !== 'approved' && because !== 'unreviewed') return 1;
  if (stale) return 2;
  return attempts > 1 ? 5 : UNREMARKABLE;
}

function urgency({ result: { status }, waits }: PhaseRow): number {
  if (waits || status === 'escalated') return 0;
  if (status === 'running' || status === 'reviewing') return 1;
  if (status === 'failed' || status === 'rejected') return 2;
  if (isLive(status)) return 3;
  return status === 'pending' ? 4 : 5;
}
