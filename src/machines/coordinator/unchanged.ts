/**
 * Phases with the same outputs as were sent back. Their gates, and phases that may send them back, learn that with their start.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { byName } from '../../model/values/by-name.ts';
import type { Background } from '../phase/phase-context.ts';
import { phaseNamed, type PhaseState, type RunState } from './run-state.ts';

/** Attempts of a phase in a row with the outputs that were sent back. */
export interface Unchanged {
  readonly times: number;
  /** Attempts of the phase in the run, up to the last of the row. A later attempt ends the row. */
  readonly attempts: number;
}

/** Counts an attempt with the outputs that were sent back. */
export function countUnchanged(
  state: RunState,
  { phase, attempts }: PhaseState,
  { times }: EventOf<'attempt.unchanged'>,
): void {
  state.unchanged ??= new Map();
  state.unchanged.set(phase.name, { times, attempts });
}

/** Excuses a phase, and those that it sends back, after a person's decision: it is another chance. */
export function forgetUnchanged(state: RunState, entry: PhaseState): void {
  const { name, gate } = entry.phase;
  state.unchanged?.delete(name);
  entry.excused = new Map(gate?.targets.map((target) => [target, phaseNamed(state, target)?.attempts ?? 0]));
}

/** Returns the counts for a phase that starts: its own, and those of phases that it may send back. `undefined` if there are none. */
export function unchangedFor(state: RunState, { phase, excused }: PhaseState): Background['unchanged'] {
  const { unchanged } = state;
  if (!unchanged) return undefined;
  const counts = [phase.name, ...(phase.gate?.targets ?? [])].flatMap((name): [string, number][] => {
    const known = unchanged.get(name);
    if (!known || phaseNamed(state, name)?.attempts !== known.attempts) return [];
    const counted = Math.min(known.times, known.attempts - (excused.get(name) ?? 0));
    return counted > 0 ? [[name, counted]] : [];
  });
  return counts.length === 0 ? undefined : byName(counts);
}
