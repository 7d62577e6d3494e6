/**
 * The text of a gate in a picture.
 *
 * @module
 */
import type { GatePlan } from '../../src/model/plan/plan.ts';
import { atMost, mayRewind, MOST_ARROWS } from '../layout/ways-back.ts';

/** The checks and reviewers of a gate, and the limits of retries and rewinds, a line for each. */
export function gateLabel(gate: GatePlan): readonly string[] {
  return [...judgesOf(gate), ...budgetsOf(gate)];
}

/** The same in one line. The limits come first, as the end of the line may be cut. */
export function gateLine(gate: GatePlan): string {
  const [judges, budgets] = [judgesOf(gate), budgetsOf(gate)];
  return `gate${budgets.length === 0 ? '' : ` (${budgets.join(', ')})`}${judges.length === 0 ? '' : `: ${judges.join(', ')}`}`;
}

// --- internal ---

function judgesOf({ checks, reviewers, quorum }: GatePlan): readonly string[] {
  return [
    ...checks,
    ...reviewers.map(({ name }) => name),
    ...(quorum < reviewers.length ? [`${quorum} of ${reviewers.length}`] : []),
  ];
}

function budgetsOf(gate: GatePlan): readonly string[] {
  const { targets, maxRetries, maxPredecessorRetries } = gate;
  return [
    ...(maxRetries === 0 ? [] : [`retry ${atMost(maxRetries)}`]),
    ...(mayRewind(gate) && targets.length > MOST_ARROWS
      ? [`rewind ${atMost(maxPredecessorRetries)} to any of ${targets.length}`]
      : []),
  ];
}
