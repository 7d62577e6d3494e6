/**
 * A run as a list of moments, with the status of every phase at each record.
 *
 * It is folded from the records alone, so that invariants do not depend on the runtime.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../src/records.ts';

/** The state of one phase, as its events determine it. */
export interface Standing {
  readonly status: 'none' | 'working' | 'retrying' | 'rewinding' | 'escalated' | 'approved' | 'invalidated' | 'over';
  readonly attempts: number;
  /** Retries by its own gate since its last start. */
  readonly retries: number;
  /** True if a person requested the next attempt, which no limit refuses. */
  readonly isFree: boolean;
  /** Versions of all phases at its last start, with their outputs. */
  readonly saw: ReadonlyMap<string, Committed>;
  readonly committed: Committed;
}

export interface Committed {
  readonly version: number;
  readonly outputs: unknown;
}

/** One record, and the states of phases before it. */
export interface Moment {
  readonly event: RunEvent;
  readonly seq: number;
  readonly before: (phase: string) => Standing;
}

const NOTHING: Standing = {
  status: 'none',
  attempts: 0,
  retries: 0,
  isFree: false,
  saw: new Map(),
  committed: { version: 0, outputs: null },
};

/** Returns the moments of a run, and the states of phases at its end. */
export function timeline(records: readonly RunRecord[]): {
  readonly moments: readonly Moment[];
  readonly end: ReadonlyMap<string, Standing>;
} {
  let phases: ReadonlyMap<string, Standing> = new Map();
  const moments = records.map(({ event, seq }): Moment => {
    const known = phases;
    phases = fold(phases, event);
    return { event, seq, before: (phase) => known.get(phase) ?? NOTHING };
  });
  return { moments, end: phases };
}

// --- internal ---

function fold(phases: ReadonlyMap<string, Standing>, event: RunEvent): ReadonlyMap<string, Standing> {
  if (!('phase' in event)) return phases;
  const was = phases.get(event.phase) ?? NOTHING;
  const now = next(was, event, phases);
  return now === was ? phases : new Map([...phases, [event.phase, now]]);
}

function next(
  was: Standing,
  event: Extract<RunEvent, { readonly phase: string }>,
  phases: ReadonlyMap<string, Standing>,
): Standing {
  switch (event.type) {
    case 'phase.started': {
      const attempts = was.attempts + 1;
      if (was.status === 'retrying') return { ...was, status: 'working', attempts, isFree: false };
      const saw = new Map([...phases].map(([name, { committed }]) => [name, committed]));
      return { ...was, status: 'working', attempts, retries: 0, isFree: false, saw };
    }
    case 'phase.retrying':
      return {
        ...was,
        status: 'retrying',
        retries: was.retries + (event.by === 'person' ? 0 : 1),
        isFree: event.by === 'person',
      };
    case 'phase.rewinding':
      return { ...was, status: 'rewinding' };
    case 'phase.escalated':
      return { ...was, status: 'escalated' };
    case 'phase.approved':
      return { ...was, status: 'approved', committed: { version: event.version, outputs: event.outputs } };
    case 'phase.invalidated':
      return { ...was, status: 'invalidated' };
    case 'phase.stale':
      return was.status === 'invalidated' || was.status === 'approved' ? { ...was, status: 'approved' } : was;
    case 'phase.rejected':
    case 'phase.failed':
    case 'phase.skipped':
    case 'phase.cancelled':
      return { ...was, status: 'over' };
    case 'task.started':
    case 'task.reported':
    case 'task.completed':
    case 'task.retrying':
    case 'task.failed':
    case 'task.asked':
    case 'task.answered':
    case 'task.dropped':
    case 'review.started':
    case 'review.waiting':
    case 'review.decided':
    case 'phase.warned':
    case 'phase.reflected':
    case 'check.baselined':
    case 'attempt.unchanged':
    case 'loop.detected':
    case 'phase.read':
    case 'phase.unaffected':
      return was;
  }
}
