/**
 * A reporter that prints the coverage of pipelines by the runs of all test files.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../model/events/event.ts';
import { fingerprint, type Plan } from '../model/plan/plan.ts';
import { coverageOf, type Coverage } from '../projections/coverage/coverage.ts';
import { NOTES, notedRuns } from './noted-runs.ts';

/** Options of {@link coverageReporter}. */
export interface CoverageReporterOptions {
  /** The least share of entries that the tests have to show of each pipeline, 0 to 100. The process fails below it. @default 0 */
  readonly threshold?: number | undefined;
  /** Called with each coverage. @default prints its table */
  readonly onCoverage?: ((coverage: Coverage) => void) | undefined;
}

/** A reporter as Vitest calls it. */
export interface CoverageReporter {
  onInit(): void;
  onTestRunStart(): void;
  onTestRunEnd(): void;
}

/**
 * Creates a reporter for Vitest, which prints the coverage of each pipeline after all test files. It counts the runs of `rehearse`, and those
 * that `collectCoverage` was given. If tests define several pipelines of one name, the one with the most runs counts.
 *
 * @throws RangeError if the threshold is no number from 0 to 100.
 *
 * @example
 * ```ts
 * // vitest.config.ts
 * export default defineConfig({ test: { reporters: ['default', coverageReporter({ threshold: 90 })] } });
 * ```
 */
export function coverageReporter({
  threshold = 0,
  onCoverage = (coverage) => process.stdout.write(`\n${String(coverage)}\n`),
}: CoverageReporterOptions = {}): CoverageReporter {
  if (!(threshold >= 0 && threshold <= 100))
    throw new RangeError(`Cannot ask for a coverage of ${String(threshold)} %: pass a number from 0 to 100`);
  let folder: string | undefined;
  const close = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  };
  const open = (): void => {
    close();
    folder = mkdtempSync(join(tmpdir(), 'phasegate-coverage-'));
    // Processes of tests inherit the variable.
    process.env[NOTES] = folder;
  };
  return {
    onInit: open,
    onTestRunStart() {
      if (folder === undefined) open();
    },
    onTestRunEnd() {
      if (folder === undefined) return;
      const all = coveragesOf([...notedRuns(folder)]);
      close();
      for (const coverage of all) {
        onCoverage(coverage);
        if (coverage.shown * 100 >= coverage.asked * threshold) continue;
        process.stderr.write(
          `phasegate: the coverage of "${coverage.pipeline}" is below the threshold of ${threshold} %\n`,
        );
        process.exitCode = 1;
      }
    },
  };
}

// --- internal ---

/** Returns the coverage of each pipeline, by name. */
function coveragesOf(runs: readonly (readonly RunRecord[])[]): readonly Coverage[] {
  const pipelines = new Map<string, Map<string, { readonly plan: Plan; runs: number }>>();
  for (const [first] of runs) {
    if (first?.event.type !== 'run.started') continue;
    const { plan } = first.event;
    const plans = pipelines.get(plan.name) ?? new Map<string, { readonly plan: Plan; runs: number }>();
    pipelines.set(plan.name, plans);
    const id = fingerprint(plan);
    const known = plans.get(id) ?? { plan, runs: 0 };
    known.runs += 1;
    plans.set(id, known);
  }
  return [...pipelines].flatMap(([name, plans]) => {
    const [most] = [...plans.values()].toSorted((a, b) => b.runs - a.runs);
    const its = runs.filter(([first]) => first?.event.type === 'run.started' && first.event.plan.name === name);
    return most ? coverageOf(most.plan, its, { otherPlans: 'skip' }) : [];
  });
}
