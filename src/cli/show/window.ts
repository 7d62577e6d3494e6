/**
 * Which phases are shown where not all fit.
 *
 * @module
 */
import { isLive, type PhaseRow } from './phase-lines.ts';

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
 * @param lines Lines that there are for phases.
 * @param extra Lines that there is more to say in about a phase.
 */
export function windowOf(rows: readonly PhaseRow[], lines: number, extra: (row: PhaseRow) => number): Window {
  if (rows.length <= lines) return { shown: rows, left: lines - rows.length };
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

function urgency({ result: { status }, waits }: PhaseRow): number {
  if (waits || status === 'escalated') return 0;
  if (status === 'running' || status === 'reviewing') return 1;
  if (status === 'failed' || status === 'rejected') return 2;
  if (isLive(status)) return 3;
  return status === 'pending' ? 4 : 5;
}
