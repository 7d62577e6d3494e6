/**
 * Steps before the tasks of an attempt: validation of its inputs, a run of its baseline checks, and the reflect call.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { AttemptOutcome, Baseline } from '../../machines/phase/ports.ts';
import type { PhaseWork } from '../../model/definition/compile.ts';
import type { Inputs } from '../../model/handlers/task.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import type { WorkHost } from '../work/work-host.ts';
import type { WorkScope } from '../work/work-scope.ts';
import { checkInputs } from './accept-inputs.ts';
import { reflectFirst } from './reflect.ts';
import { checksBefore, takeBaseline } from './take-baseline.ts';

/** Results of the steps before the tasks. */
export interface Prepared {
  readonly inputs: Inputs;
  /** Checks that failed before the tasks began; `undefined` if none were run. */
  readonly baseline: Baseline | undefined;
  readonly recollection: Recollection | undefined;
}

/** Runs the steps. @param go Called when the tasks may begin; not called if the attempt has ended or was stopped. */
export function prepare(
  scope: WorkScope<PhaseContext, AttemptOutcome>,
  host: WorkHost,
  work: PhaseWork,
  go: (prepared: Prepared) => void,
): void {
  function look(inputs: Inputs): void {
    const learn = (baseline: Baseline | undefined) =>
      reflectFirst(scope, host, work, (recollection) => go({ inputs, baseline, recollection }));
    const names = checksBefore(scope);
    if (names.length === 0) learn(scope.progress?.baseline);
    else takeBaseline(scope, host, work, names, learn);
  }
  if (!work.input) {
    look(scope.input.inputs);
    return;
  }
  scope.enter();
  void checkInputs(work.input, scope.input).then((checked) => {
    scope.leave();
    scope.guard(() => {
      if ('outcome' in checked) scope.done(checked.outcome);
      else look(checked.inputs);
    });
  });
}
