/**
 * The entries of a coverage during counting, as the plan asks for them.
 *
 * @module
 */
import type { PersonOf } from '../../model/definition/people.ts';
import type { Plan } from '../../model/plan/plan.ts';
import {
  checkName,
  endName,
  limitName,
  phaseName,
  rewindName,
  rowName,
  type CheckCoverage,
  type CoverageEntry,
  type CoverageRow,
  type CoveredDecision,
  type CoveredOutcome,
  type CoveredStatus,
  type EndCoverage,
  type Fields,
  type LimitCoverage,
  type PhaseCoverage,
  type RewindCoverage,
} from './coverage-entry.ts';
import { isGated, limitNames, mayReach, possibleEnds, possibleOutcomes, type GatedPhase } from './possible.ts';

/** Counts of one kind of entries, by name. */
export interface Table<F> {
  /** Counts what a run has shown. */
  count(fields: F): void;
  /** Returns the entries that a plan has, in its order, then those that runs have shown besides, which are not asked for. */
  entries(ofPlan: readonly Expected<F>[]): readonly (F & CoverageEntry)[];
}

/** The tables of a coverage during counting. */
export interface CoverageTables {
  readonly phases: Table<Fields<PhaseCoverage>>;
  readonly rows: Table<Fields<CoverageRow>>;
  readonly limits: Table<Fields<LimitCoverage>>;
  readonly checks: Table<Fields<CheckCoverage>>;
  readonly rewinds: Table<Fields<RewindCoverage>>;
  readonly ends: Table<Fields<EndCoverage>>;
}

/** The entries of a coverage, by kind. */
export type CoverageEntries = {
  readonly [K in keyof CoverageTables]: ReturnType<CoverageTables[K]['entries']>;
};

/** Makes tables in which nothing is counted. */
export function coverageTables(): CoverageTables {
  return {
    phases: tableOf(phaseName),
    rows: tableOf(rowName),
    limits: tableOf<Fields<LimitCoverage>>(limitName),
    checks: tableOf(checkName),
    rewinds: tableOf(rewindName),
    ends: tableOf(endName),
  };
}

/** Returns the entries of all tables. @param personOf The people among the reviewers, as far as they are known. */
export function entriesOf(plan: Plan, tables: CoverageTables, personOf: PersonOf): CoverageEntries {
  const gated = plan.phases.filter(isGated);
  const ends = new Set(possibleEnds(plan));
  const gates = gated.map((phase) => expectedOf(plan, phase, personOf));
  return {
    phases: tables.phases.entries(
      plan.phases.flatMap(({ name: phase }) =>
        STATUSES.map((status) => expected({ phase, status }, status === 'ran' || status === 'approved')),
      ),
    ),
    rows: tables.rows.entries(gates.flatMap(({ rows }) => rows)),
    limits: tables.limits.entries(
      limitNames(plan).map((name) => expected({ limit: name, max: plan.limits[name] ?? null }, mayReach(plan, name))),
    ),
    checks: tables.checks.entries(
      gated.flatMap(({ name: phase, gate }) =>
        gate.checks.flatMap((check) => OUTCOMES.map((outcome) => expected({ phase, check, outcome }, true))),
      ),
    ),
    rewinds: tables.rewinds.entries(gates.flatMap(({ rewinds }) => rewinds)),
    ends: tables.ends.entries(ENDS.map((status) => expected({ status }, ends.has(status)))),
  };
}

// --- internal ---

const STATUSES: readonly CoveredStatus[] = ['ran', 'approved', 'rejected', 'failed', 'skipped', 'cancelled'];
const OUTCOMES: readonly CheckCoverage['outcome'][] = ['passed', 'failed'];
const ENDS: readonly EndCoverage['status'][] = ['completed', 'rejected', 'failed', 'cancelled', 'exhausted'];

/** An entry that a plan has. */
interface Expected<F> {
  readonly fields: F;
  readonly asked: boolean;
}

function expected<F>(fields: F, asked: boolean): Expected<F> {
  return { fields, asked };
}

function tableOf<F extends object>(nameOf: (fields: F) => string): Table<F> {
  const counted = new Map<string, { readonly fields: F; times: number }>();
  return {
    count(fields) {
      const name = nameOf(fields);
      const entry = counted.get(name) ?? { fields, times: 0 };
      entry.times += 1;
      counted.set(name, entry);
    },
    entries(ofPlan) {
      const known = new Map(ofPlan.map((one) => [nameOf(one.fields), one]));
      const others = [...counted].filter(([name]) => !known.has(name));
      return [
        ...[...known].map(([name, { fields, asked }]) => {
          return { name, ...fields, times: counted.get(name)?.times ?? 0, asked };
        }),
        ...others.map(([name, { fields, times }]) => ({ name, ...fields, times, asked: false })),
      ];
    },
  };
}

/** Returns the rows and the rewinds that a gate can show. */
function expectedOf(
  plan: Plan,
  { name: phase, gate }: GatedPhase,
  personOf: PersonOf,
): {
  readonly rows: readonly Expected<Fields<CoverageRow>>[];
  readonly rewinds: readonly Expected<Fields<RewindCoverage>>[];
} {
  const can = possibleOutcomes(plan, { name: phase, gate }, personOf);
  const row = (
    decision: CoveredDecision,
    asked: boolean,
    outcome: CoveredOutcome | null = null,
    target: string | null = null,
  ): readonly Expected<Fields<CoverageRow>>[] => (asked ? [expected({ phase, decision, target, outcome }, true)] : []);
  const { targets } = gate;
  return {
    rows: [
      row('approve', true),
      row('retry', can.retryGranted, 'granted'),
      row('retry', can.retryRefused, 'refused'),
      ...targets.flatMap((target) => [
        row('retryPredecessor', can.rewindGranted, 'granted', target),
        row('retryPredecessor', can.rewindRefused, 'refused', target),
      ]),
      row('reject', can.hasReviewers),
      row('escalate', can.hasReviewers),
      row('unreadable', can.unreadable),
      row('reviewError', can.reviewError),
      row('reviewAgain', can.againGranted, 'granted'),
      row('reviewAgain', can.againRefused, 'refused'),
      row('question', can.questionAnswered, 'answered'),
      row('question', can.questionExpired, 'expired'),
    ].flat(),
    rewinds: can.rewindGranted ? targets.map((to) => expected({ from: phase, to }, false)) : [],
  };
}
