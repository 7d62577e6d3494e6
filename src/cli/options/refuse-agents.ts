/**
 * Refusal of commands that only a person may give.
 *
 * @module
 */
import { noteRefusal, startedByAgent } from '../../agents/agent-marker.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/**
 * Refuses a command that an agent has called, which phasegate has started: no agent approves its own work.
 *
 * The try becomes a warning of the phase that the agent works for.
 *
 * @param action Such as `answer item r1:3`.
 * @throws PhasegateError `REQUEST_REFUSED`
 */
export function refuseAgents(action: string, { env }: Pick<ProgramIo, 'env'>): void {
  if (!startedByAgent(env)) return;
  noteRefusal(action, env);
  throw new PhasegateError('REQUEST_REFUSED', `Cannot ${action} as an agent that phasegate has started asks for it`, {
    hint: 'A person has to do this, in a terminal of their own or in the dashboard; `ui --read-only` is allowed.',
  });
}
