/**
 * Coverage of a pipeline: the decisions, limits and ends that its runs have shown, and those that none has.
 *
 * @module
 */
import type { Work } from '../../model/definition/compile.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { limit } from '../../model/events/event-schemas.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { planForStoredRun } from '../../model/plan/former-plan.ts';
import { changeLines, planChanges } from '../../model/plan/plan-diff.ts';
import { fingerprint, type Plan } from '../../model/plan/plan.ts';
import { isSameJson } from '../../model/values/json.ts';
import type {
  CheckCoverage,
  CoverageRow,
  EndCoverage,
  LimitCoverage,
  PhaseCoverage,
  RewindCoverage,
} from './coverage-entry.ts';
import { coverRun, type RunCoverage } from './coverage-fold.ts';
import { coverageLines } from './coverage-lines.ts';
import { coverageTables, entriesOf } from './coverage-tables.ts';
import { knownPeople } from './known-people.ts';

/** The coverage of a pipeline by runs, as JSON. */
export interface Coverage {
  readonly pipeline: string;
  /** Number of runs that count. */
  readonly runs: number;
  /** Number of runs of other definitions, which are counted by name or skipped. */
  readonly otherRuns: number;
  /** Number of records that count. */
  readonly records: number;
  /** Number of entries that are asked for. */
  readonly asked: number;
  /** Number of those that a run has shown. */
  readonly shown: number;
  /** The share of the two, rounded down: 0 to 100. */
  readonly percent: number;
  /** Outcomes of each phase. */
  readonly phases: readonly PhaseCoverage[];
  /** Decisions of each gate, with their outcomes. */
  readonly rows: readonly CoverageRow[];
  /** The limits of the plan, and those that single runs had. */
  readonly limits: readonly LimitCoverage[];
  /** Outcomes of each check. One that failed as before its phase began is not counted. */
  readonly checks: readonly CheckCoverage[];
  /** Phases that were sent back, by the phase that sent them back. Not asked for. */
  readonly rewinds: readonly RewindCoverage[];
  readonly ends: readonly EndCoverage[];
  /** Names of the entries that are asked for and that no run has shown, in the order above. */
  readonly missing: readonly string[];
  /** Returns a table for a terminal. JSON and comparisons do not see this method. */
  toString(): string;
}

/** Options of a coverage. */
export interface CoverageOptions {
  /**
   * The treatment of records of another definition of the pipeline, by its fingerprint. Limits that were given to single runs make no
   * other definition. `count` counts the phases and targets that the definition has, by their names. @default 'refuse'
   */
  readonly otherPlans?: 'refuse' | 'count' | 'skip' | undefined;
}

/** The records of a run, or an object that has them, such as a rehearsal. */
export type CoveredRun = Iterable<RunRecord> | { readonly records: Iterable<RunRecord> };

/** A pipeline, or its plan. */
export type CoveredPipeline = Plan | { readonly plan: Plan; readonly work?: Work };

/** A fold over the records of any number of runs, one run after another. */
export interface CoverageFold {
  /**
   * @throws PhasegateError `RUN_CHANGED` if the run follows another definition, and these are refused; `RECORDS_INCOMPLETE` if the first
   *   record of a run is missing.
   */
  apply(record: RunRecord): void;
  coverage(): Coverage;
}

/**
 * Returns the coverage of a pipeline by the records of runs. Runs of tests and of production count alike. Entries that cannot occur by
 * the plan are not asked for. Takes time linear in the number of records.
 *
 * @param pipeline The pipeline, or its plan. A plan does not say which reviewers are people: those count as people whom a record has asked.
 * @param runs The records of each run, from the first on, or objects that have them.
 * @throws RangeError if a run is neither; PhasegateError `RUN_CHANGED` if a run follows another definition, and these are refused; `RECORDS_INCOMPLETE` if the first
 *   record of a run is missing.
 */
export function coverageOf(
  pipeline: CoveredPipeline,
  runs: Iterable<CoveredRun>,
  options: CoverageOptions = {},
): Coverage {
  const fold = foldCoverage(pipeline, options);
  for (const run of runs) for (const record of recordsOf(run)) fold.apply(record);
  return fold.coverage();
}

/** Returns the records of a run. @throws RangeError if it has none. */
export function recordsOf(run: CoveredRun): Iterable<RunRecord> {
  const records: unknown = typeof run === 'object' && run !== null && 'records' in run ? run.records : run;
  if (isRecords(records)) return records;
  throw new RangeError('Cannot count a run without records: pass a list of records for each run, or a rehearsal');
}

/** Starts a fold before the first run. */
export function foldCoverage(pipeline: CoveredPipeline, { otherPlans = 'refuse' }: CoverageOptions = {}): CoverageFold {
  const { plan, work } = 'plan' in pipeline ? pipeline : { plan: pipeline, work: undefined };
  const tables = coverageTables();
  const people = knownPeople(work);
  const known = new Set(plan.phases.map(({ name }) => name));
  const counts = { runs: 0, otherRuns: 0, records: 0 };
  let run: { readonly runId: string; readonly fold: RunCoverage; counts: boolean; isOther: boolean } | undefined;

  /** Notes the definition that a run follows from a record on. */
  function follow(record: RunRecord, given: GivenPlan): void {
    run ??= { runId: record.runId, fold: coverRun(tables, known), counts: false, isOther: false };
    const isOther = !isSamePlan(plan, given);
    if (isOther && otherPlans === 'refuse') throw changed(plan, given.plan, record.runId);
    if (isOther && !run.isOther) counts.otherRuns += 1;
    const counted = !isOther || (otherPlans === 'count' && given.plan.name === plan.name);
    if (counted && !run.counts) counts.runs += 1;
    run = { ...run, counts: counted, isOther: run.isOther || isOther };
    run.fold.follow(given.plan);
  }

  return {
    apply(record) {
      const { runId, event } = record;
      if (event.type === 'run.started' || run?.runId !== runId) run = undefined;
      if (event.type === 'run.started') follow(record, event);
      else if (event.type === 'run.resumed' && event.plan)
        follow(record, { plan: event.plan, fingerprint: event.fingerprint ?? fingerprint(event.plan) });
      if (!run) throw incomplete(record);
      if (!run.counts) return;
      counts.records += 1;
      people.note(event);
      run.fold.apply(record);
    },
    coverage() {
      const lists = entriesOf(withoutRunLimits(plan), tables, people.personOf);
      const asked = Object.values(lists).flatMap((list) => list.filter((one) => one.asked));
      const missing = asked.flatMap(({ name, times }) => (times === 0 ? name : []));
      const shown = asked.length - missing.length;
      const percent = Math.floor((shown * 100) / asked.length);
      return asText({ pipeline: plan.name, ...counts, asked: asked.length, shown, percent, ...lists, missing });
    },
  };
}

// --- internal ---

function isRecords(value: unknown): value is Iterable<RunRecord> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** A plan in a record. */
interface GivenPlan {
  readonly plan: Plan;
  readonly fingerprint: string;
  readonly edition?: number | undefined;
}

/** True if a run follows the plan. Limits of a single run do not matter. */
function isSamePlan(plan: Plan, given: GivenPlan): boolean {
  const own = planForStoredRun(plan, given);
  if (fingerprint(own) === given.fingerprint) return true;
  const hasOwnLimits = (given.plan.runLimits ?? own.runLimits) !== undefined;
  return hasOwnLimits && isSameJson(withoutLimits(own), withoutLimits(given.plan));
}

function withoutLimits(plan: Plan): Plan {
  return { ...plan, limits: {}, runLimits: undefined };
}

/** Returns the plan without the limits that only one run had. */
function withoutRunLimits(plan: Plan): Plan {
  const { limits, runLimits } = plan;
  if (runLimits === undefined) return plan;
  const own = limit.options.filter((name) => limits[name] !== undefined && limits[name] !== runLimits[name]);
  return { ...plan, limits: Object.fromEntries(own.map((name) => [name, limits[name]])) };
}

function changed(plan: Plan, given: Plan, runId: string): PhasegateError {
  const changes = changeLines(planChanges(given, plan));
  const problem = `Cannot count run ${runId} as the definition of "${plan.name}" has changed:${changes}`;
  return new PhasegateError('RUN_CHANGED', problem, {
    hint: "Leave the run out, or count it by the names of its phases: otherPlans: 'count', or --allow-changed.",
  });
}

function incomplete({ runId, seq }: RunRecord): PhasegateError {
  const problem = `Cannot count run ${runId} as its first record is missing: found number ${seq}`;
  return new PhasegateError('RECORDS_INCOMPLETE', problem, { hint: 'Give all records of a run, from number 1 on.' });
}

/** Adds the method that writes the tables. */
function asText(coverage: Coverage): Coverage {
  return Object.defineProperty(coverage, 'toString', {
    value: () => coverageLines(coverage).join('\n'),
    enumerable: false,
  });
}
