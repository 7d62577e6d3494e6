/**
 * Baseline of an attempt: the results of its checks before its tasks begin.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { AttemptOutcome, Baseline } from '../../machines/phase/ports.ts';
import type { PhaseWork } from '../../model/definition/compile.ts';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import { failedBefore, type FailedBefore } from '../../model/review/baseline.ts';
import type { FailedCheck } from '../../model/review/check.ts';
import { runCheck, warnOf } from '../review/run-check.ts';
import type { WorkHost } from '../work/work-host.ts';
import type { WorkScope } from '../work/work-scope.ts';

type AttemptScope = WorkScope<PhaseContext, AttemptOutcome>;

/** The checks to run before the tasks; none if that was done, or if no gate follows. */
export function checksBefore({ input, progress }: AttemptScope): readonly string[] {
  const { origin, gated, memory, background } = input;
  const names = origin.phase.gate?.baseline;
  if (!names || !gated || background.baseline || progress?.baseline || hasWorked(progress)) return NONE;
  return names.filter((name) => !memory.mustPassChecks.includes(name));
}

/**
 * Runs the checks, one after the other, and reports the results. A check that throws is in neither list and causes a warning; a
 * later failure of it counts.
 *
 * @param then Called with the failed checks; not called if the work was stopped meanwhile.
 */
export function takeBaseline(
  scope: AttemptScope,
  host: WorkHost,
  work: PhaseWork,
  names: readonly string[],
  then: (baseline: Baseline) => void,
): void {
  const passed: string[] = [];
  const failed: FailedCheck[] = [];
  function next(index: number): void {
    if (scope.isStopped) return;
    const name = names[index];
    if (name === undefined) {
      then(report(scope, passed, failed));
      return;
    }
    const check = work.checks.get(name);
    if (!check) {
      next(index + 1);
      return;
    }
    runCheck({ scope, host, name, check, role: 'baseline', outputs: NOTHING }, (checked) => {
      if (checked.type === 'passed') passed.push(name);
      else if (checked.type === 'failed') failed.push(checked.failed);
      else if (!scope.isStopped) warnOf({ scope }, 'CHECK_BASELINE_UNKNOWN', unknown(name, checked.error));
      next(index + 1);
    });
  }
  next(0);
}

// --- internal ---

const NONE: readonly never[] = Object.freeze([]);
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** True if tasks had begun in an earlier process. */
function hasWorked(progress: AttemptScope['progress']): boolean {
  return progress !== undefined && Object.keys(progress.tries).length + Object.keys(progress.outputs).length > 0;
}

function report(scope: AttemptScope, passed: readonly string[], failed: readonly FailedCheck[]): Baseline {
  const { origin, attempt } = scope.input;
  const { phase, generation } = origin;
  const before = failed.map((one): [FailedBefore, string] => [failedBefore(one), one.details]);
  scope.report({
    type: 'check.baselined',
    phase: phase.name,
    generation,
    attempt,
    passed,
    failed: before.map(([one, details]) => ({ ...one, details })),
  });
  return before.map(([one]) => one);
}

function unknown(name: string, error: unknown): string {
  return `The result of check "${name}" before the phase began is unknown, so a failure of it counts: ${errorInfo(error).message}`;
}
