/**
 * Phases that put out what was sent back: their gates, and those that send them back, are told when they start.
 *
 * @module
 */
import { byName } from '../../model/values/by-name.ts';
import type { EventOf } from '../../model/events/event.ts';
import { entryNamed, type Board, type Entry } from './run-state.ts';
import type { Past } from '../phase/phase-context.ts';

/** Attempts of a phase in a row that put out what was sent back. */
export interface Unchanged {
  readonly times: number;
  /** Attempts of the phase in the whole run, up to the last of them: a later one ends the row. */
  readonly attempts: number;
}

/** Takes down an attempt that has put out what was sent back. */
export function noteUnchanged(board: Board, { phase, attempts }: Entry, { times }: EventOf<'attempt.unchanged'>): void {
  board.unchanged.set(phase.name, { times, attempts });
}

/** A person has decided about a phase: another chance for it, and for those that it sends back. */
export function forgetUnchanged(board: Board, entry: Entry): void {
  const { name, gate } = entry.phase;
  board.unchanged.delete(name);
  entry.excused = new Map(gate?.targets.map((target) => [target, entryNamed(board, target)?.attempts ?? 0]));
}

/** Counts for a phase that starts: its own, and those of phases that it may send back. `undefined` if there are none. */
export function unchangedFor(board: Board, { phase, excused }: Entry): Past['unchanged'] {
  if (board.unchanged.size === 0) return undefined;
  const told = [phase.name, ...(phase.gate?.targets ?? [])].flatMap((name): [string, number][] => {
    const known = board.unchanged.get(name);
    if (!known || entryNamed(board, name)?.attempts !== known.attempts) return [];
    const counted = Math.min(known.times, known.attempts - (excused.get(name) ?? 0));
    return counted > 0 ? [[name, counted]] : [];
  });
  return told.length === 0 ? undefined : byName(told);
}
