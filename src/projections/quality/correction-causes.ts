/**
 * The corrections that led to each attempt.
 *
 * @module
 */
import type { EventOf, RunEvent } from '../../model/events/event.ts';

/** A demand: the phase works again, or an earlier one does. */
export type CorrectionEvent = EventOf<'phase.retrying' | 'phase.rewinding'>;

/** A fold over the events of a run. The caller numbers the corrections. */
export interface CauseFold {
  /** @param correction The number of this event, if it is a correction. */
  apply(event: RunEvent, correction?: number): void;
  /** Returns the corrections that led to the current attempt of a phase; none if it works for the first time. */
  of(phase: string): readonly number[];
}

/**
 * Starts a fold before the first event.
 *
 * A retry leads to the next attempt of its phase. A rewind leads to the next start of these phases:
 *
 * - the phase that it sends back, and every phase that gets a correction from it;
 * - the phase that asks for it;
 * - every phase that is invalidated: between them, or because one of them has committed other outputs.
 *
 * A start with several causes counts for each of them.
 */
export function foldCauses(): CauseFold {
  const phases = new Map<string, Causes>();
  /** The latest rewind or commit: it is the cause of invalidations directly after it. */
  let latest: Latest = { names: [], causes: [] };

  function stateOf(phase: string): Causes {
    const known = phases.get(phase) ?? { pending: NONE, current: NONE, answers: NONE, retry: undefined };
    phases.set(phase, known);
    return known;
  }

  function addCauses(phase: string, causes: readonly number[]): void {
    const state = stateOf(phase);
    state.pending = joined(state.pending, causes);
  }

  function rewind(event: EventOf<'phase.rewinding'>, correction: number): void {
    const names = [event.target, ...(event.riders ?? []).map((one) => one.phase)];
    const causes = [correction];
    for (const name of [...names, event.phase]) addCauses(name, causes);
    latest = { names, causes };
  }

  /** Starts an attempt. Most phases work once, and have no state here. */
  function start(phase: string): void {
    const state = phases.get(phase);
    if (!state) return;
    if (state.retry === undefined) {
      state.current = state.pending;
      state.answers = joined(state.answers, state.pending);
      state.pending = NONE;
    } else state.current = [state.retry];
    state.retry = undefined;
  }

  function commit(phase: string): void {
    const state = phases.get(phase);
    latest = { names: [phase], causes: state?.answers ?? NONE };
    if (state) state.answers = NONE;
  }

  return {
    of: (phase) => phases.get(phase)?.current ?? NONE,
    apply(event, correction = 0) {
      if (event.type === 'phase.retrying') stateOf(event.phase).retry = correction;
      else if (event.type === 'phase.rewinding') rewind(event, correction);
      else if (event.type === 'phase.started') start(event.phase);
      else if (event.type === 'phase.approved') commit(event.phase);
      else if (event.type === 'phase.invalidated') {
        stateOf(event.phase).retry = undefined;
        if (latest.names.includes(event.because)) addCauses(event.phase, latest.causes);
      } else if (event.type === 'run.reopened') for (const state of phases.values()) state.retry = undefined;
    },
  };
}

// --- internal ---

interface Causes {
  /** Causes of the next start. */
  pending: readonly number[];
  /** Causes of the current attempt. */
  current: readonly number[];
  /** Rewinds that the next commit answers. */
  answers: readonly number[];
  /** The retry that causes the next attempt. */
  retry: number | undefined;
}

interface Latest {
  readonly names: readonly string[];
  readonly causes: readonly number[];
}

const NONE: readonly never[] = Object.freeze([]);

function joined(some: readonly number[], more: readonly number[]): readonly number[] {
  return some.length === 0 ? more : [...new Set([...some, ...more])];
}
