/**
 * Amounts of usage that an agent does not report.
 *
 * @module
 */
import type { UsageAmount } from '../../model/handlers/task.ts';
import type { Agent } from '../agent.ts';

/** Returns the amounts, for `unreported` of a task. A limit that counts one of them then needs an estimate. */
export function unreportedBy({ reports }: Pick<Agent, 'reports'>): readonly UsageAmount[] {
  return [...(reports.tokens ? [] : (['tokens'] as const)), ...(reports.cost ? [] : (['costUsd'] as const))];
}
