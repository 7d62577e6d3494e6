/**
 * The outcome of a run: its result, with defects and measures from its records.
 *
 * @module
 */
import { errorInfo } from '../model/errors/phasegate-error.ts';
import type { Plan } from '../model/plan/plan.ts';
import { foldQuality, type QualityFold } from '../projections/quality/quality.ts';
import type { RunOutcome, RunQuality, RunResult, RunSnapshot } from '../projections/run/run-result.ts';
import { foldRun } from '../projections/run/run-view.ts';
import { readableAt, type RecordLog } from './records/record-log.ts';

/** State of a run that this process has let go before its end. */
export interface LocalEnd {
  /** Error that prevented storing the run. */
  readonly failure: unknown;
  readonly suspended: boolean;
}

/** The state of a run by its records, the unpublished ones of a detached log included. */
export function snapshotOf(log: RecordLog, plan: Plan): RunSnapshot {
  const view = foldRun(plan);
  for (let at = 1, record = readableAt(log, 0); record; record = readableAt(log, at++)) view.apply(record);
  return view.snapshot();
}

/** Creates an outcome. Defects and measures are computed on first access, as most callers never read them. */
export function outcomeOf<O>(result: RunResult<O>, log: RecordLog, { failure, suspended }: LocalEnd): RunOutcome<O> {
  return Object.assign(new Outcome(log), result, suspended && SUSPENDED, failure !== undefined && failed(failure));
}

// --- internal ---

const SUSPENDED = { status: 'suspended' } as const;

function failed(failure: unknown): Pick<RunResult, 'status' | 'error'> {
  return { status: 'failed', error: errorInfo(failure) };
}

/** A class, so that JSON and spreads skip the computed properties. */
class Outcome implements RunQuality {
  readonly #log: RecordLog;
  #quality: QualityFold | undefined;

  constructor(log: RecordLog) {
    this.#log = log;
  }

  get defects(): RunQuality['defects'] {
    return this.#folded().defects();
  }

  get measures(): RunQuality['measures'] {
    return this.#folded().measures();
  }

  #folded(): QualityFold {
    if (this.#quality) return this.#quality;
    const fold = foldQuality();
    for (let at = 1, record = readableAt(this.#log, 0); record; record = readableAt(this.#log, at++))
      fold.apply(record);
    this.#quality = fold;
    return fold;
  }
}
