/**
 * What comes before the tasks of an attempt: whether its inputs are accepted, how its checks stand, and what is learned from the
 * attempt before.
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

/** What the tasks of an attempt set to work with. */
export interface Prepared {
  readonly inputs: Inputs;
  /** Checks that failed before the tasks, where the attempt has looked. */
  readonly baseline: Baseline | undefined;
  readonly recollection: Recollection | undefined;
}

/** @param go Called when the tasks may work; not where the attempt ends without that, or is stopped. */
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
