/**
 * Coverage that grows with the runs of a test.
 *
 * @module
 */
import { noteRun } from './noted-runs.ts';
import {
  foldCoverage,
  recordsOf,
  type Coverage,
  type CoveredPipeline,
  type CoveredRun,
  type CoverageOptions,
} from '../projections/coverage/coverage.ts';

/** The coverage of a pipeline by the runs of a test file. `String(collected)` is a table for a terminal. */
export interface CollectedCoverage {
  /**
   * Adds a run that has ended, or its records up to now.
   *
   * @throws PhasegateError `RUN_CHANGED` if the run follows another definition, and these are refused; `RECORDS_INCOMPLETE` if the first
   *   record of the run is missing.
   */
  add(run: CoveredRun): void;
  /** Returns the coverage by the runs so far. */
  coverage(): Coverage;
  toString(): string;
}

/**
 * Collects coverage, independently of the test framework. Call `add` with each run, and print the result after all tests.
 *
 * @param pipeline The pipeline, or its plan.
 */
export function collectCoverage(pipeline: CoveredPipeline, options: CoverageOptions = {}): CollectedCoverage {
  const fold = foldCoverage(pipeline, options);
  return {
    add(run) {
      const records = recordsOf(run);
      for (const record of records) fold.apply(record);
      noteRun(records);
    },
    coverage: () => fold.coverage(),
    toString: () => String(fold.coverage()),
  };
}
