/**
 * Limits on usage that an agent does not report.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { Agent } from '../agent.ts';

/** Limits of a run that count reported usage. */
export interface UsageLimits {
  readonly tokens?: number | undefined;
  readonly costUsd?: number | undefined;
}

/**
 * Refuses an agent whose usage a limit cannot see: it does not report the amount, and no estimate replaces it.
 *
 * @throws PhasegateError `DEFINITION_INVALID`
 */
export function refuseUnseenUsage(
  name: string,
  agent: Agent,
  estimate: Estimate | undefined,
  limits: UsageLimits,
): void {
  for (const { limit, isReported, unit } of [
    { limit: 'tokens', isReported: agent.reports.tokens, unit: 'tokens' },
    { limit: 'costUsd', isReported: agent.reports.cost, unit: 'US dollars' },
  ] as const) {
    if (limits[limit] === undefined || isReported || (estimate?.[limit] ?? 0) > 0) continue;
    const problem = `Cannot limit "${name}" by \`${limit}\` as agent "${agent.name}" does not report it, and there is no estimate`;
    throw new PhasegateError('DEFINITION_INVALID', problem, {
      hint: `Give \`estimate: { ${limit}: … }\` with the most ${unit} that one try may use, or remove the limit.`,
    });
  }
}
