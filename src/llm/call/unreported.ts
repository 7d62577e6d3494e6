/**
 * Amounts of usage that models do not report.
 *
 * @module
 */
import type { UsageAmount } from '../../model/handlers/task.ts';
import type { Caller } from './call.ts';

/** Returns the amounts, for `unreported` of a task: dollars, if one of the models or its fallback has no price. */
export function unreportedBy(callers: readonly Caller[]): readonly UsageAmount[] {
  return callers.some(hasNoPrice) ? ['costUsd'] : [];
}

// --- internal ---

function hasNoPrice({ price, fallback }: Caller): boolean {
  return price === undefined || fallback.some(hasNoPrice);
}
