/**
 * Which phases are looked for, and which of them come first in a list.
 *
 * @module
 */
import type { PhaseResult } from '../../../../../src/projections/run/run-result.ts';
import type { PhaseFace } from '../graph/phase-face.ts';

/** What phases are looked for by. */
export interface PhaseFilter {
  /** A part of the name, in any case; '' for all. */
  readonly find: string;
  /** A standing, or one of the notes; '' for all. */
  readonly only: string;
}

/** Whether a phase is one that is looked for. */
export function isWanted({ name, status, notes }: PhaseFace, { find, only }: PhaseFilter): boolean {
  const hasName = find === '' || name.toLowerCase().includes(find.toLowerCase());
  return hasName && (only === '' || status === only || notes.includes(only));
}

/** Standings and notes that some phase has, with how many have them, in the order in which they matter. */
export function kindsOf(faces: readonly PhaseFace[]): readonly (readonly [kind: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { status, notes } of faces)
    for (const kind of [status, ...notes]) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => rankOf(a) - rankOf(b));
}

/** Ways to sort a list of phases. */
export const orders = ['what matters', 'the plan', 'name', 'corrections', 'cost'] as const;

/** A way to sort a list of phases. */
export type Order = (typeof orders)[number];

/** A phase of a list. */
export interface PhaseRow {
  readonly face: PhaseFace;
  readonly result: PhaseResult;
}

/** Rows in an order; what is equal stays in that of the plan. */
export function sorted(rows: readonly PhaseRow[], order: Order): readonly PhaseRow[] {
  switch (order) {
    case 'what matters':
      return rows.toSorted((a, b) => weightOf(a) - weightOf(b));
    case 'the plan':
      return rows;
    case 'name':
      return rows.toSorted((a, b) => collator.compare(a.face.name, b.face.name));
    case 'corrections':
      return rows.toSorted((a, b) => b.result.corrections - a.result.corrections);
    case 'cost':
      return rows.toSorted((a, b) => b.result.costUsd - a.result.costUsd);
  }
}

// --- internal ---

const RANKS: readonly string[] = [
  'escalated',
  'asks a person',
  'failed',
  'rejected',
  'retrying',
  'rewinding',
  'reviewing',
  'running',
  'budget spent',
  'stale',
  'must run again',
  'pending',
  'approved',
  'skipped',
  'cancelled',
];

const collator = new Intl.Collator('en', { numeric: true });

function rankOf(kind: string): number {
  const rank = RANKS.indexOf(kind);
  return rank === -1 ? RANKS.length : rank;
}

function weightOf({ face: { status, notes } }: PhaseRow): number {
  return [status, ...notes].reduce((least, kind) => Math.min(least, rankOf(kind)), Infinity);
}
