/**
 * Outcomes of checks, as far as records tell them.
 *
 * @module
 */
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import type { GatePlan } from '../../model/plan/plan.ts';
import type { CheckCoverage, Fields } from './coverage-entry.ts';
import type { Table } from './coverage-tables.ts';

/** State of the checks of one phase. */
export interface CheckState {
  /** True if the outcomes of the current attempt are counted: passed checks do not run again. */
  counted: boolean;
  /** True if a check failed in the current review as it did at its baseline. The records do not say which. */
  preexisting: boolean;
  /** The latest baseline. */
  baseline: EventOf<'check.baselined'> | null;
}

/** Counts the outcomes that an event of a phase tells. */
export function countChecks(
  table: Table<Fields<CheckCoverage>>,
  phase: string,
  { checks }: GatePlan,
  state: CheckState,
  event: RunEvent,
): void {
  const count = (check: string, outcome: CheckCoverage['outcome']): void => {
    if (checks.includes(check)) table.count({ phase, check, outcome });
  };
  if (event.type === 'phase.started') state.counted = false;
  else if (event.type === 'review.started') state.preexisting = false;
  else if (event.type === 'phase.warned') state.preexisting ||= event.code === 'CHECK_PREEXISTING';
  else if (event.type === 'review.decided') countReview(checks, state, event, count);
  else if (event.type === 'check.baselined') {
    state.baseline = event;
    for (const check of event.passed) count(check, 'passed');
    for (const { check } of event.failed) count(check, 'failed');
  }
}

// --- internal ---

function countReview(
  checks: readonly string[],
  state: CheckState,
  { by, checked, failedChecks }: EventOf<'review.decided'>,
  count: (check: string, outcome: CheckCoverage['outcome']) => void,
): void {
  if (by !== 'gate' || state.counted || !(checked || failedChecks)) return;
  state.counted = true;
  const failed = new Set((failedChecks ?? []).map(({ name }) => name));
  const doubtful = new Set(state.preexisting ? state.baseline?.failed.map(({ check }) => check) : []);
  for (const check of checks) {
    if (failed.has(check)) count(check, 'failed');
    else if (!doubtful.has(check)) count(check, 'passed');
  }
}
