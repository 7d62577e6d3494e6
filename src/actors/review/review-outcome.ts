/**
 * Outcomes of a review other than the verdict of its reviewers.
 *
 * @module
 */
import type { GateOutcome } from '../../machines/phase/ports.ts';
import type { Verdict } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import type { FailedCheck } from '../../model/review/check.ts';
import { byName } from '../../model/values/by-name.ts';

/** The outputs that an answer carries; `undefined` if it has none. */
export function editsIn(answer: unknown): Outputs | undefined {
  if (typeof answer !== 'object' || answer === null || !('outputs' in answer)) return undefined;
  const { outputs } = answer;
  return typeof outputs === 'object' && outputs !== null ? byName(Object.entries(outputs)) : undefined;
}

/** The verdict of checks that have failed. */
export function checksOutcome(failed: readonly FailedCheck[]): GateOutcome {
  const verdict: Verdict = {
    type: 'retry',
    feedback: failed.map((one) => one.details).join('\n\n'),
    requiredChange: failed.map((one) => one.requiredChange).join(' '),
  };
  return { verdict, verdicts: {}, failedChecks: failed.map(({ name, details }) => ({ name, details })) };
}
