/**
 * Filters and orders of the phase list.
 *
 * @module
 */
import type { PhaseResult } from '../../../../../src/projections/run/run-result.ts';
import type { PhaseFace } from '../graph/phase-face.ts';

/** The conditions of the filter. */
export interface PhaseFilter {
  /** A part of the name, in any case; '' for all. */
  readonly find: string;
  /** A status or a note; '' for all. */
  readonly only: string;
}

/** True if a phase matches the filter. */
export function isWanted({ name, status, notes }: PhaseFace, { find, only }: PhaseFilter): boolean {
  const hasName = find === '' || name.toLowerCase().includes(find.toLowerCase());
  return hasName && (only === '' || status === only || notes.includes(only));
}

/** The statuses and notes that phases have, with the number of phases of each, the most important first. */
export function kindsOf(faces: readonly PhaseFace[]): readonly (readonly [kind: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { status, notes } of faces)
    for (const kind of [status, ...notes]) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => rankOf(a) - rankOf(b));
}

/** The orders of the phase list. */
export const orders = ['what matters', 'the plan', 'name', 'corrections', 'cost'] as const;

/** An order of the phase list. */
export type Order = (typeof orders)[number];

/** A row of the phase list. */
export interface PhaseRow {
  readonly face: PhaseFace;
  readonly result: PhaseResult;
}

/** Sorts rows. Equal rows keep the order of the plan. */
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
  'waiting',
  'escalated',
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
