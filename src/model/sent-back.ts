/**
 * Which phases later ones have sent back, in any number of runs: a fold over records.
 *
 * @module
 */
import type { RunRecord } from './event.ts';
import type { Evidence } from './gate-history.ts';

/** One phase that was sent back. */
export interface SentBack {
  readonly pipeline: string;
  readonly phase: string;
  readonly isGated: boolean;
  /** Each time. */
  readonly evidence: readonly Evidence[];
  /** How often by which phase. */
  readonly by: ReadonlyMap<string, number>;
  /** Runs in which the phase began. */
  readonly runs: number;
}

/** The fold. */
export interface SentBacks {
  apply(record: RunRecord): void;
  /** The most often sent back first. */
  all(): readonly SentBack[];
}

/** Begins with no records. */
export function foldSentBack(): SentBacks {
  const pipelines = new Map<string, Map<string, Counted>>();
  const runs = new Map<string, ReadonlyMap<string, Counted>>();
  return {
    apply({ runId, seq, event }) {
      if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan) {
        const { name, phases } = event.plan;
        const known = pipelines.get(name) ?? new Map<string, Counted>();
        pipelines.set(name, known);
        for (const { name: phase, gate } of phases) {
          const counted = known.get(phase) ?? emptyCount(name, phase);
          counted.isGated = gate !== null;
          known.set(phase, counted);
        }
        runs.set(runId, known);
      }
      const phases = runs.get(runId);
      if (event.type === 'phase.started') phases?.get(event.phase)?.in.add(runId);
      if (event.type !== 'phase.rewinding') return;
      const target = phases?.get(event.target);
      target?.evidence.push({ runId, seq });
      target?.by.set(event.phase, (target.by.get(event.phase) ?? 0) + 1);
    },
    all() {
      return [...pipelines.values()]
        .flatMap((phases) => [...phases.values()])
        .filter(({ evidence }) => evidence.length > 0)
        .map(({ in: { size }, ...counted }) => ({ ...counted, runs: size }))
        .toSorted((a, b) => b.evidence.length - a.evidence.length);
    },
  };
}

// --- internal ---

interface Counted {
  readonly pipeline: string;
  readonly phase: string;
  isGated: boolean;
  readonly evidence: Evidence[];
  readonly by: Map<string, number>;
  /** The runs in which it began. */
  readonly in: Set<string>;
}

function emptyCount(pipeline: string, phase: string): Counted {
  return { pipeline, phase, isGated: false, evidence: [], by: new Map(), in: new Set() };
}
