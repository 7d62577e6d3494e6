/**
 * What is remembered of a run for later ones of the same pipeline: what its phases have learned from attempts that were rejected.
 *
 * @module
 */
import type { RunRecord } from './event.ts';
import { elided, LONGEST_REFLECTION } from './recollection.ts';

/** Something that a run has learned. */
export interface Memory {
  readonly pipeline: string;
  readonly phase: string;
  /** The run, and the record of it, that it comes from. */
  readonly runId: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** At most {@link LONGEST_REFLECTION} characters. */
  readonly text: string;
}

/** A fold over the records of one run. */
export interface MemoryFold {
  /** @returns What is to be remembered because of the record. */
  apply(record: RunRecord): readonly Memory[];
}

/**
 * Begins before the first record. A reflection is remembered where a gate, or a person, has sent the attempt back: what a task
 * demands is no verdict on anything.
 */
export function foldMemories(): MemoryFold {
  let pipeline = '';
  /** Phases whose next attempt was asked for by a verdict. */
  const judged = new Set<string>();
  return {
    apply({ runId, seq, time, event }) {
      if (event.type === 'run.started') pipeline = event.plan.name;
      else if (event.type === 'phase.retrying' && event.by !== 'worker') judged.add(event.phase);
      else if (event.type === 'phase.rewinding' && event.by !== 'worker') {
        for (const { phase } of [{ phase: event.target }, ...(event.riders ?? [])]) judged.add(phase);
      } else if (event.type === 'phase.reflected') {
        const { phase, reflection } = event;
        if (!judged.delete(phase) || reflection === undefined) return NOTHING;
        return [{ pipeline, phase, runId, seq, time, text: elided(reflection, LONGEST_REFLECTION) }];
      }
      return NOTHING;
    },
  };
}

// --- internal ---

const NOTHING: readonly never[] = Object.freeze([]);
