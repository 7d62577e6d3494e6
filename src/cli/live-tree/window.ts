/**
 * Which phases are shown where not all fit.
 *
 * @module
 */
import { isLive, isOver, type PhaseRow } from './phase-lines.ts';

/** What is shown, in the order of the definition: so that nothing changes places. */
export interface Window {
  readonly shown: readonly PhaseRow[];
  /** Lines that are left for more about them. */
  readonly left: number;
}

/**
 * Chooses what matters most: phases that wait for a person, then those at work, those that failed, and those that are to be
 * corrected. Of the lines that are left one half at most is for more about these, the other for what comes next and what
 * has just ended, so that the window shows where the run is.
 *
 * Where all have ended, what matters is what did not go as it should: phases that failed, that were accepted without consent, are
 * stale, were skipped, cancelled or sent back, in this order. Those that were just approved are left out.
 *
 * @param lines Lines that there are for phases.
 * @param extra Lines that there is more to say in about a phase.
 */
export function windowOf(rows: readonly PhaseRow[], lines: number, extra: (row: PhaseRow) => number): Window {
  if (rows.length <= lines) return { shown: rows, left: lines - rows.length };
  if (rows.every(({ result }) => isOver(result))) return { shown: remarkable(rows, lines), left: 0 };
  const groups: readonly PhaseRow[][] = [[], [], [], [], [], []];
  for (const row of rows) groups[urgency(row)]?.push(row);
  const [asked = [], working = [], bad = [], corrected = [], waiting = [], ended = []] = groups;
  const urgent = [...asked, ...working, ...bad, ...corrected].slice(0, lines);
  const more = urgent.reduce((sum, row) => sum + extra(row), 0);
  const left = Math.min(more, Math.floor((lines - urgent.length) / 2));
  const latest = ended.toSorted((a, b) => (b.result.endedAt ?? 0) - (a.result.endedAt ?? 0));
  const others = [...waiting.slice(0, NEXT), ...latest, ...waiting.slice(NEXT)];
  const chosen = new Set([...urgent, ...others.slice(0, lines - urgent.length - left)]);
  return { shown: rows.filter((row) => chosen.has(row)), left };
}

// --- internal ---

/** Phases that come next for which there is room before those that have ended. */
const NEXT = 3;

/** Those that did not go as they should, the worst where there are too many. */
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

/** One that was sent back and approved then is well by now, so it comes last. */
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
