/**
 * How a run ended, with what its records say of its defects.
 *
 * @module
 */
import { errorInfo } from '../model/errors/phasegate-error.ts';
import { foldQuality, type QualityFold } from '../projections/quality/quality.ts';
import type { RunOutcome, RunQuality, RunResult } from '../projections/run/run-result.ts';
import { readableAt, type RecordLog } from './records/record-log.ts';

/** How this process has let go of a run that has not ended. */
export interface HowItEnded {
  /** Why it could not keep the run. */
  readonly failure: unknown;
  readonly suspended: boolean;
}

/** A result, with the defects and measures. They are made when somebody first asks for them: most never do. */
export function outcomeOf<O>(result: RunResult<O>, log: RecordLog, { failure, suspended }: HowItEnded): RunOutcome<O> {
  return Object.assign(new Outcome(log), result, suspended && SUSPENDED, failure !== undefined && failed(failure));
}

// --- internal ---

const SUSPENDED = { status: 'suspended' } as const;

function failed(failure: unknown): Pick<RunResult, 'status' | 'error'> {
  return { status: 'failed', error: errorInfo(failure) };
}

/** A class, so that JSON and spreads pass over what is made when it is asked for. */
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
