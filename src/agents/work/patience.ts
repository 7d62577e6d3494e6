/**
 * Default timeouts and retries of agents, and their conditions.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RetryPolicy } from '../../model/handlers/task.ts';
import type { Agent } from '../agent.ts';
import type { AgentAccess } from '../permission.ts';

/** Milliseconds per try: one hour. */
export const AGENT_TIMEOUT = 3_600_000;

/** The retry policy of an agent. Limits of subscriptions last for hours, so a stated delay may be that long. */
export function agentRetry({ attempts = 3, backoff, jitter = true, retryable }: RetryPolicy = {}): RetryPolicy {
  return { attempts, backoff: { first: 5000, factor: 4, max: 21_600_000, ...backoff }, jitter, retryable };
}

/** @throws PhasegateError `DEFINITION_INVALID` if the agent cannot take such turns. */
export function refuseAccess(name: string, agent: Agent, access: AgentAccess): void {
  if (agent.access.includes(access)) return;
  const [found, hint] =
    access === 'read'
      ? [
          'cannot promise to change nothing',
          'Give its line for turns that only read (`readOnly`), or use another agent.',
        ]
      : ['only reads', 'Use it for reviews, or another agent for tasks.'];
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let agent "${agent.name}" do "${name}" as it ${found}`, {
    hint,
  });
}
