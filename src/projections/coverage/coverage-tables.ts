/**
 * The entries of a coverage during counting, as the plan asks for them.
 *
 * @module
 */
import type { GatePlan, Plan } from '../../model/plan/plan.ts';
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
import { limitNames, mayReach, possibleEnds, possibleOutcomes } from './possible.ts';

/** Entries of one kind by name, in the order of the plan. */
export interface Table<F> {
  /** Adds an entry, which nothing has shown yet. */
  expect(fields: F, asked: boolean): void;
  /** Counts what a run has shown. An entry that the plan does not have is added, and not asked for. */
  count(fields: F): void;
  all(): readonly (F & CoverageEntry)[];
}

/** The tables of a coverage. */
export interface CoverageTables {
  readonly phases: Table<Fields<PhaseCoverage>>;
  readonly rows: Table<Fields<CoverageRow>>;
  readonly limits: Table<Fields<LimitCoverage>>;
  readonly checks: Table<Fields<CheckCoverage>>;
  readonly rewinds: Table<Fields<RewindCoverage>>;
  readonly ends: Table<Fields<EndCoverage>>;
}

/** Makes the tables of a plan, with a count of 0 for each entry. */
export function coverageTables(plan: Plan): CoverageTables {
  const tables: CoverageTables = {
    phases: tableOf(phaseName),
    rows: tableOf(rowName),
    limits: tableOf<Fields<LimitCoverage>>(limitName),
    checks: tableOf(checkName),
    rewinds: tableOf(rewindName),
    ends: tableOf(endName),
  };
  for (const { name: phase, gate } of plan.phases) {
    for (const status of STATUSES) tables.phases.expect({ phase, status }, status === 'ran' || status === 'approved');
    if (gate) expectGate(tables, plan, phase, gate);
  }
  for (const name of limitNames(plan))
    tables.limits.expect({ limit: name, max: plan.limits[name] ?? null }, mayReach(plan, name));
  const ends = new Set(possibleEnds(plan));
  for (const status of ENDS) tables.ends.expect({ status }, ends.has(status));
  return tables;
}

// --- internal ---

const STATUSES: readonly CoveredStatus[] = ['ran', 'approved', 'rejected', 'failed', 'skipped', 'cancelled'];
const ENDS: readonly EndCoverage['status'][] = ['completed', 'rejected', 'failed', 'cancelled', 'exhausted'];

function tableOf<F extends object>(nameOf: (fields: F) => string): Table<F> {
  const entries = new Map<string, { readonly fields: F; readonly asked: boolean; times: number }>();
  const expect = (fields: F, asked: boolean): void => {
    entries.set(nameOf(fields), { fields, asked, times: 0 });
  };
  return {
    expect,
    count(fields) {
      const name = nameOf(fields);
      if (!entries.has(name)) expect(fields, false);
      const entry = entries.get(name);
      if (entry) entry.times += 1;
    },
    all: () => [...entries].map(([name, { fields, times, asked }]) => ({ name, ...fields, times, asked })),
  };
}

function expectGate({ rows, checks, rewinds }: CoverageTables, plan: Plan, phase: string, gate: GatePlan): void {
  const can = possibleOutcomes(plan, gate);
  const expect = (
    decision: CoveredDecision,
    asked: boolean,
    outcome: CoveredOutcome | null = null,
    target: string | null = null,
  ): void => {
    if (asked) rows.expect({ phase, decision, target, outcome }, true);
  };
  expect('approve', true);
  expect('retry', can.retryGranted, 'granted');
  expect('retry', can.retryRefused, 'refused');
  for (const target of gate.targets) {
    expect('retryPredecessor', can.rewindGranted, 'granted', target);
    expect('retryPredecessor', can.rewindRefused, 'refused', target);
    if (can.rewindGranted) rewinds.expect({ from: phase, to: target }, false);
  }
  expect('reject', can.hasReviewers);
  expect('escalate', can.hasReviewers);
  expect('unreadable', can.hasReviewers);
  expect('reviewError', true);
  expect('reviewAgain', can.againGranted, 'granted');
  expect('reviewAgain', true, 'refused');
  expect('question', can.questionAnswered, 'answered');
  expect('question', can.questionExpired, 'expired');
  for (const check of gate.checks)
    for (const outcome of ['passed', 'failed'] as const) checks.expect({ phase, check, outcome }, true);
}
