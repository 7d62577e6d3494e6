/**
 * Memories of a run for later runs of the same pipeline: reflections of its phases on rejected attempts.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { LONGEST_REFLECTION } from '../../model/revision/revision-extras.ts';
import { elided } from '../../model/values/text-limits.ts';

/** One memory of a run. */
export interface Memory {
  /** The owner: only runs of the same scope read it. */
  readonly scope: string;
  readonly pipeline: string;
  readonly phase: string;
  /** The run, and the number of its record, that it comes from. */
  readonly runId: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** At most {@link LONGEST_REFLECTION} characters. */
  readonly text: string;
}

/** A fold over the records of one run. */
export interface MemoryFold {
  /** @returns The memories that the record adds. */
  apply(record: RunRecord): readonly Memory[];
}

/**
 * Starts a fold before the first record. A reflection becomes a memory if the run has a scope, and if a gate or a person has sent the
 * attempt back. A task's demand does not count, as it is no verdict.
 */
export function foldMemories(): MemoryFold {
  let scope: string | undefined;
  let pipeline = '';
  let reflects = false;
  /** Made when a run learns: there are many runs, and most do not. */
  let judged: Judged | undefined;
  return {
    apply({ runId, seq, time, event }) {
      if (event.type === 'run.started') {
        scope = event.memory;
        pipeline = event.plan.name;
      }
      if (event.type === 'run.started' || event.type === 'run.resumed') reflects = hasReflections(event.plan, reflects);
      if (scope === undefined || !reflects) return NOTHING;
      judged ??= { retried: new Set(), demanded: new Set() };
      if (event.type !== 'phase.reflected') {
        note(judged, event);
        return NOTHING;
      }
      const { phase, reflection } = event;
      const isJudged = forget(judged, phase);
      if (!isJudged || reflection === undefined) return NOTHING;
      return [{ scope, pipeline, phase, runId, seq, time, text: elided(reflection, LONGEST_REFLECTION) }];
    },
  };
}

// --- internal ---

const NOTHING: readonly never[] = Object.freeze([]);

function hasReflections(plan: Plan | undefined, before: boolean): boolean {
  return plan ? plan.phases.some(({ gate }) => gate?.reflect !== undefined) : before;
}

/** Phases whose next reflection is about a judged attempt. */
interface Judged {
  /** Sent back by their own gate, or a person in its place. A fresh start clears this. */
  readonly retried: Set<string>;
  /** Sent back by a later phase. A restart does not clear this: each start gets the demand until the phase has answered it. */
  readonly demanded: Set<string>;
}

function note(judged: Judged, event: RunEvent): void {
  if (event.type === 'phase.retrying') judged.retried.add(event.phase);
  else if (event.type === 'phase.rewinding') {
    for (const { phase } of [{ phase: event.target }, ...(event.riders ?? [])]) {
      if (event.by === 'worker') forget(judged, phase);
      else judged.demanded.add(phase);
    }
  } else if (event.type === 'phase.started' && !event.revision) forget(judged, event.phase);
  else if (event.type === 'phase.approved' || event.type === 'phase.invalidated') judged.retried.delete(event.phase);
  else if (event.type === 'run.reopened') judged.retried.clear();
}

/** Removes a phase. @returns True if it was there. */
function forget({ retried, demanded }: Judged, phase: string): boolean {
  const wasRetried = retried.delete(phase);
  return demanded.delete(phase) || wasRetried;
}
