/**
 * Work of a phase as an asynchronous function, for applications that use `phaseMachine` without a pipeline.
 *
 * @module
 */
import type { PhaseReport } from '../../model/events/event.ts';
import type { PhaseContext } from './phase-context.ts';
import type { WorkLogic } from './ports.ts';

/** The argument of such a function. */
export interface AsyncWork {
  /** The context of the phase: its plan, its inputs, the number of the attempt, and the outputs to review. */
  readonly input: PhaseContext;
  /** Aborted when the phase is cancelled, or its actor is stopped. */
  readonly signal: AbortSignal;
  /** Sends a report to the parent of the phase. */
  readonly report: (fact: PhaseReport) => void;
}

/**
 * Makes the work of a phase from a function. A rejection fails the attempt, or counts as a review error.
 *
 * @param run Does the work, and returns its outcome. Its outcome is ignored once `signal` is aborted.
 */
export function fromAsync<O>(run: (work: AsyncWork) => O | PromiseLike<O>): WorkLogic<O> {
  return {
    begin(input, owner) {
      const controller = new AbortController();
      const { signal } = controller;
      const report = (fact: PhaseReport) => void (signal.aborted || owner.report(fact));
      const work = async () => {
        await Promise.resolve();
        if (signal.aborted) return;
        let end: () => void;
        try {
          const output = await run({ input, signal, report });
          end = () => owner.done(output);
        } catch (error) {
          end = () => owner.failed(error);
        }
        if (!controller.signal.aborted) end();
      };
      void work();
      return { stop: () => controller.abort() };
    },
  };
}
