/**
 * Phases that later ones have sent back, in any number of runs: a fold over records.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { count, none, type Counting, type Occurrences } from './occurrences.ts';

/** One phase that was sent back. */
export interface SentBack {
  readonly pipeline: string;
  readonly phase: string;
  readonly isGated: boolean;
  /** Times that it was sent back. */
  readonly evidence: Occurrences;
  /** Times by the phase that sent it back. */
  readonly by: ReadonlyMap<string, number>;
  /** Runs in which the phase began. */
  readonly runs: number;
}

/** A fold over the records of any number of runs. */
export interface SentBacks {
  apply(record: RunRecord): void;
  /** Phases by the number of times, most first. */
  all(): readonly SentBack[];
}

/** Starts a fold. It takes the records of one run after another. */
export function foldSentBack(): SentBacks {
  const pipelines = new Map<string, Map<string, Counted>>();
  let run: RunState | undefined;
  return {
    apply({ runId, seq, event }) {
      if (run && run.runId !== runId) run = undefined;
      if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan) {
        run ??= { runId, phases: new Map(), begun: new Set() };
        run.phases = phasesOf(pipelines, event.plan);
      }
      if (!run) return;
      if (event.type === 'phase.started') begin(run, event.phase);
      if (event.type !== 'phase.rewinding') return;
      const target = run.phases.get(event.target);
      if (!target) return;
      count(target.evidence, { runId, seq });
      target.by.set(event.phase, (target.by.get(event.phase) ?? 0) + 1);
    },
    all() {
      return [...pipelines.values()]
        .flatMap((phases) => [...phases.values()])
        .filter(({ evidence }) => evidence.count > 0)
        .toSorted((a, b) => b.evidence.count - a.evidence.count);
    },
  };
}

// --- internal ---

interface Counted extends SentBack {
  isGated: boolean;
  readonly evidence: Counting;
  readonly by: Map<string, number>;
  runs: number;
}

/** State of one run. */
interface RunState {
  readonly runId: string;
  phases: ReadonlyMap<string, Counted>;
  /** The phases that have begun. */
  readonly begun: Set<string>;
}

/** Returns the phases of a pipeline, updated from this plan. */
function phasesOf(pipelines: Map<string, Map<string, Counted>>, { name, phases }: Plan): RunState['phases'] {
  const known = pipelines.get(name) ?? new Map<string, Counted>();
  pipelines.set(name, known);
  for (const { name: phase, gate } of phases) {
    const counted = known.get(phase) ?? emptyCount(name, phase);
    counted.isGated = gate !== null;
    known.set(phase, counted);
  }
  return known;
}

function begin({ phases, begun }: RunState, phase: string): void {
  const counted = phases.get(phase);
  if (!counted || begun.has(phase)) return;
  begun.add(phase);
  counted.runs += 1;
}

function emptyCount(pipeline: string, phase: string): Counted {
  return { pipeline, phase, isGated: false, evidence: none(), by: new Map(), runs: 0 };
}
