/**
 * Asynchronous work, with calls instead of promises, and with an `AbortController` only on demand.
 *
 * @module
 */
import type { Progress, WorkLogic, WorkOwner } from '../../machines/phase/ports.ts';
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import { WorkScope } from './work-scope.ts';

/**
 * Makes the logic of work.
 *
 * @param run Does the work, and reports the end to its scope. An error that it throws is the error of the work.
 * @param onStop Called if work is stopped while its handlers are running.
 */
export function fromWork<O>(
  run: (scope: WorkScope<PhaseContext, O>) => void,
  onStop?: (scope: WorkScope<PhaseContext, O>) => void,
): WorkLogic<O> {
  function go(scope: WorkScope<PhaseContext, O>): void {
    if (scope.isStopped) return;
    try {
      run(scope);
    } catch (error) {
      scope.failed(error);
    }
  }
  return {
    begin(input: PhaseContext, owner: WorkOwner<O>, progress?: Progress) {
      const scope = new WorkScope(input, owner, progress, onStop);
      // The work begins in a later microtask, so that its owner finishes and reports first.
      void Promise.resolve(scope).then(go);
      return scope;
    },
  };
}
