/**
 * What a gate does, in a few words.
 *
 * @module
 */
import type { GatePlan } from '../src/model/plan.ts';
import { atMost, mayRewind, MOST_ARROWS } from './ways-back.ts';

/** Its checks and reviewers, and how often it may send back, a line for each. */
export function gateLabel(gate: GatePlan): readonly string[] {
  const { checks, reviewers, quorum, targets } = gate;
  return [
    ...checks,
    ...reviewers.map(({ name }) => name),
    ...(quorum < reviewers.length ? [`${quorum} of ${reviewers.length}`] : []),
    ...(gate.maxRetries === 0 ? [] : [`retry ${atMost(gate.maxRetries)}`]),
    ...(mayRewind(gate) && targets.length > MOST_ARROWS
      ? [`rewind ${atMost(gate.maxPredecessorRetries)} to any of ${targets.length}`]
      : []),
  ];
}
