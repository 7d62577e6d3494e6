/**
 * The budgets of a gate in words.
 *
 * @module
 */
import { countOf } from '../../../../../src/model/plan/policy.ts';
import type { PhasePlan } from '../../../../../src/model/plan/plan.ts';
import { startOf } from '../../parts/untrusted-text.ts';

type GatePlan = NonNullable<PhasePlan['gate']>;

/** Says how often a gate sends back its phase and earlier ones, and the outcome once that is spent. */
export function gateText(
  gate: Pick<GatePlan, 'maxRetries' | 'maxPredecessorRetries' | 'targets' | 'onExhausted'>,
): string {
  const [retries, rewinds] = [countOf(gate.maxRetries), countOf(gate.maxPredecessorRetries)];
  return [
    retries === 0 ? 'never sends the phase back' : `sends the phase back ${timesText(retries)}`,
    ...(gate.targets.length > 0 && rewinds > 0
      ? [`may send back ${targetsText(gate.targets)} ${timesText(rewinds)}${gate.targets.length > 1 ? ' each' : ''}`]
      : []),
    SPENT[gate.onExhausted],
  ].join('; ');
}

// --- internal ---

const SPENT = {
  accept: 'then the attempt is accepted',
  acceptBest: 'then the best attempt is accepted',
  escalate: 'then a person decides',
  reject: 'then it is rejected',
} as const;

function targetsText(targets: readonly string[]): string {
  return targets.length > 4 ? `${targets.length} earlier phases` : targets.map((one) => startOf(one, 40)).join(', ');
}

function timesText(count: number): string {
  return count === Infinity ? 'any number of times' : `at most ${count === 1 ? 'once' : `${count} times`}`;
}
