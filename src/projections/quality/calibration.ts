/**
 * Reliability of reviewers: their confidence compared with later corrections of their decisions.
 *
 * @module
 */
import type { Defect } from './defect.ts';
import type { GateTally, Judged } from './gate-tally.ts';
import { percent } from './yields.ts';

/** Decisions of one reviewer with similar confidence. */
export interface ConfidenceBand {
  /** Their confidence is at most this, and above that of the previous band; `null` for decisions without confidence. */
  readonly most: number | null;
  readonly decisions: number;
  /** Number of them that were contradicted. */
  readonly contradicted: number;
}

/** The decisions of one reviewer, and the number that later proved wrong. */
export interface ReviewerMeasures {
  readonly phase: string;
  readonly reviewer: string;
  readonly decisions: number;
  readonly approvals: number;
  /** Times that a person decided on the same attempt, and times that this person disagreed. */
  readonly judgedByPeople: number;
  readonly overruled: number;
  /** Overruled decisions in percent of those that people judged. */
  readonly overruledShare: number | null;
  /**
   * Decisions that a person overruled, approvals after which a defect of the same phase was found and corrected, and demands of
   * which an issue was withdrawn.
   */
  readonly contradicted: number;
  /** The lowest confidence first; only bands with decisions. */
  readonly bands: readonly ConfidenceBand[];
}

/** Upper ends of bands. Confidence is ordinal and no probability, so it is grouped, and never averaged. */
export const CONFIDENCE_BANDS: readonly number[] = [0.6, 0.7, 0.8, 0.9, 1];

/** Measures reviewers by phase, in the order in which they first decided. */
export function calibrate(
  gates: ReadonlyMap<string, GateTally>,
  defects: readonly Defect[],
): readonly ReviewerMeasures[] {
  const refuted = refutedBy(gates, defects);
  return [...gates].flatMap(([phase, { judged }]) =>
    [...judged].map(([reviewer, all]) => measuresOf(phase, reviewer, all, refuted)),
  );
}

// --- internal ---

function refutedBy(gates: ReadonlyMap<string, GateTally>, defects: readonly Defect[]): ReadonlySet<Judged> {
  const refuted = new Set<Judged>();
  for (const { injected, disposition, detected, found } of defects) {
    if (disposition === 'fixed') {
      for (const all of gates.get(injected)?.judged.values() ?? []) {
        const last = all.findLast(({ seq }) => seq <= detected.seq);
        if (last?.type === 'approve') refuted.add(last);
      }
    }
    if (disposition !== 'withdrawn') continue;
    for (const { phase, name, seq } of found) {
      const raised = gates.get(phase)?.judged.get(name ?? '');
      const one = raised?.find((judged) => judged.seq === seq);
      if (one) refuted.add(one);
    }
  }
  return refuted;
}

function measuresOf(
  phase: string,
  reviewer: string,
  all: readonly Judged[],
  refuted: ReadonlySet<Judged>,
): ReviewerMeasures {
  const judgedByPeople = all.filter(({ person }) => person !== 'none').length;
  const overruled = all.filter(({ person }) => person === 'otherwise').length;
  const isContradicted = (one: Judged) => one.person === 'otherwise' || refuted.has(one);
  const bands = [...CONFIDENCE_BANDS, null].flatMap((most, index): ConfidenceBand | readonly [] => {
    const own = all.filter(({ confidence }) => bandOf(confidence) === (most === null ? -1 : index));
    return own.length === 0 ? [] : { most, decisions: own.length, contradicted: own.filter(isContradicted).length };
  });
  return {
    phase,
    reviewer,
    decisions: all.length,
    approvals: all.filter(({ type }) => type === 'approve').length,
    judgedByPeople,
    overruled,
    overruledShare: percent(overruled, judgedByPeople),
    contradicted: all.filter(isContradicted).length,
    bands,
  };
}

function bandOf(confidence: number | null): number {
  return confidence === null ? -1 : CONFIDENCE_BANDS.findIndex((most) => confidence <= most);
}
