/**
 * Measures of phases and gates, from the defects of a run.
 *
 * @module
 */
import { planGraph, type PhasePlan, type Plan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';
import { calibrate, type ReviewerMeasures } from './calibration.ts';
import type { Defect, Disposition } from './defect.ts';
import { addEffort, noEffort, type Effort, type GrowingEffort } from './effort.ts';
import type { GateTally } from './gate-tally.ts';
import { percent, yieldsOf, ratio, type PhaseYield } from './yields.ts';

/** The cost of phases by purpose. Each dollar, token and millisecond is in exactly one of them. */
export interface EffortSplit {
  /** Tasks, without rework. */
  readonly work: Effort;
  /** Checks and reviewers, also of attempts that are rework. */
  readonly appraisal: Effort;
  /** Tasks in attempts that corrections have led to. */
  readonly rework: Effort;
}

/** A split that grows. */
export type GrowingSplit = { readonly [K in keyof EffortSplit]: GrowingEffort };

/** The same figure for dollars, tokens and time; `null` if it is not defined. */
export type Figures = { readonly [K in keyof Effort]: number | null };

/** Measures of one phase. Withdrawn defects do not count. */
export interface PhaseMeasures extends PhaseYield, EffortSplit {
  /** Defects of this phase that its own gate had removed, in percent of all defects of this phase. */
  readonly containment: number | null;
}

/** The defects of one phase, by the gate that had them removed. */
export interface ContainmentRow {
  readonly injected: string;
  /** By phase; only phases that removed any. */
  readonly removed: Readonly<Record<string, number>>;
  /** Accepted with the phase. */
  readonly accepted: number;
  /** Not corrected, or open again. */
  readonly open: number;
}

/** Measures of one gate. */
export interface GateMeasures {
  readonly phase: string;
  /** Judgements, without those by people. */
  readonly reviews: number;
  /** Reviews without an answer. */
  readonly unanswered: number;
  /** Starts of the phase that were judged. A retry is no start. */
  readonly starts: number;
  /** Starts that the first judgement approved, and their share in percent. */
  readonly passed: number;
  readonly firstPassYield: number | null;
}

/** Measures of a run. Undefined values are `null`. Shares and yields are in percent, from 0 to 100. */
export interface Measures {
  readonly defects: Readonly<Record<Disposition, number>>;
  /** Removed defects in percent of all defects; withdrawn ones do not count. */
  readonly removalEfficiency: number | null;
  /** In topological order. */
  readonly phases: readonly PhaseMeasures[];
  /** In the same order; only phases with defects. */
  readonly containment: readonly ContainmentRow[];
  readonly effort: EffortSplit;
  /** Rework in percent of everything. */
  readonly reworkShare: Figures;
  /** Appraisal for each unit of rework. */
  readonly appraisalToFailure: Figures;
  /** Gates that have judged, in topological order. */
  readonly gates: readonly GateMeasures[];
  /** Reviewers that have decided, in the order of their gates. */
  readonly reviewers: readonly ReviewerMeasures[];
}

/** The data that measures are computed from. */
export interface Measured {
  readonly plan: Plan | undefined;
  readonly defects: readonly Defect[];
  readonly efforts: ReadonlyMap<string, EffortSplit>;
  readonly tallies: ReadonlyMap<string, GateTally>;
}

/** Computes the measures of a run. */
export function measure({ plan, defects, efforts, tallies }: Measured): Measures {
  const order = plan ? inOrder(plan) : [];
  const rows = rowsOf(defects);
  const gates = new Map(order.flatMap(({ name }) => entryOf(tallies, name)));
  const effort = sumOf([...efforts.values()]);
  const total = totalOf(effort);
  const counts: Record<Disposition, number> = { open: 0, fixed: 0, withdrawn: 0, accepted: 0 };
  for (const { disposition } of defects) counts[disposition] += 1;
  return {
    defects: counts,
    removalEfficiency: percent(counts.fixed, defects.length - counts.withdrawn),
    phases: phasesOf(order, rows, efforts),
    containment: order.flatMap(({ name }) => rows.get(name) ?? []),
    effort,
    reworkShare: figures((key) => percent(effort.rework[key], total[key])),
    appraisalToFailure: figures((key) => ratio(effort.appraisal[key], effort.rework[key])),
    gates: [...gates].map(([phase, tally]) => gateOf(phase, tally)),
    reviewers: calibrate(gates, defects),
  };
}

/** Makes a split of zero efforts. */
export function noEfforts(): GrowingSplit {
  return { work: noEffort(), appraisal: noEffort(), rework: noEffort() };
}

// --- internal ---

/** A row during counting. */
interface Row extends ContainmentRow {
  readonly removed: Record<string, number>;
  accepted: number;
  open: number;
}

function inOrder(plan: Plan): readonly PhasePlan[] {
  const { rank } = planGraph(plan);
  return plan.phases
    .map((phase, index) => ({ phase, at: rank[index] ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ phase }) => phase);
}

function entryOf<T>(all: ReadonlyMap<string, T>, name: string): readonly (readonly [string, T])[] {
  const one = all.get(name);
  return one === undefined ? [] : [[name, one]];
}

function rowsOf(defects: readonly Defect[]): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const { injected, disposition, removed } of defects) {
    if (disposition === 'withdrawn') continue;
    const row = rows.get(injected) ?? { injected, removed: byName<number>(), accepted: 0, open: 0 };
    rows.set(injected, row);
    if (disposition === 'accepted') row.accepted += 1;
    else if (!removed) row.open += 1;
    else row.removed[removed.phase] = (row.removed[removed.phase] ?? 0) + 1;
  }
  return rows;
}

function phasesOf(
  order: readonly PhasePlan[],
  rows: ReadonlyMap<string, Row>,
  efforts: Measured['efforts'],
): readonly PhaseMeasures[] {
  const removedBy = new Map<string, number>();
  for (const { removed } of rows.values())
    for (const [phase, count] of Object.entries(removed)) removedBy.set(phase, (removedBy.get(phase) ?? 0) + count);
  const counts = order.map(({ name, after, gate }) => ({
    phase: name,
    after,
    injected: injectedIn(rows.get(name)),
    removed: removedBy.get(name) ?? (gate ? 0 : null),
  }));
  return yieldsOf(counts).map((one) => {
    const { work, appraisal, rework } = efforts.get(one.phase) ?? noEfforts();
    const containment = percent(rows.get(one.phase)?.removed[one.phase] ?? 0, one.injected);
    return Object.assign({}, one, { containment, work, appraisal, rework });
  });
}

function injectedIn(row: ContainmentRow | undefined): number {
  return row ? Object.values(row.removed).reduce((sum, count) => sum + count, row.accepted + row.open) : 0;
}

function gateOf(phase: string, { reviews, unanswered, starts, passed }: GateTally): GateMeasures {
  return { phase, reviews, unanswered, starts, passed, firstPassYield: percent(passed, starts) };
}

function sumOf(splits: readonly EffortSplit[]): EffortSplit {
  const sum = noEfforts();
  for (const { work, appraisal, rework } of splits) {
    addEffort(sum.work, work);
    addEffort(sum.appraisal, appraisal);
    addEffort(sum.rework, rework);
  }
  return sum;
}

function totalOf({ work, appraisal, rework }: EffortSplit): Effort {
  const total = noEffort();
  for (const one of [work, appraisal, rework]) addEffort(total, one);
  return total;
}

function figures(figure: (key: keyof Effort) => number | null): Figures {
  return { costUsd: figure('costUsd'), tokens: figure('tokens'), ms: figure('ms') };
}
