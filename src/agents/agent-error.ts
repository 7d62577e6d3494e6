/**
 * Errors of agents, with advice about another try.
 *
 * @module
 */
import { lastLines } from '../actors/command/output-excerpt.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { maskKnown } from '../model/values/known-secrets.ts';
import { plainText } from '../model/values/plain-text.ts';

/** Options of an {@link AgentError}. */
export interface AgentErrorOptions {
  readonly hint: string;
  readonly retryable: boolean;
  readonly permanent?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** An agent has failed, or has ended its turn without doing the work. */
export class AgentError extends PhasegateError {
  /** True if another try by the task itself may help. */
  readonly retryable: boolean;
  /** True if no other turn of the agent may help either. */
  readonly permanent: boolean;
  /** Shortest delay before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: 'AGENT_FAILED' | 'AGENT_STOPPED', problem: string, options: AgentErrorOptions) {
    const { hint, retryable, permanent = !retryable, retryAfterMs, cause } = options;
    super(code, problem, { hint, cause });
    this.retryable = retryable;
    this.permanent = permanent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error of an agent whose turn has failed. @param found A clause, and the end of what the program has written. */
export function agentFailed(
  name: string,
  found: string,
  { output = '', ...options }: AgentErrorOptions & { readonly output?: string },
): AgentError {
  const last = outputTail(output);
  const problem = `Cannot finish the turn of agent "${name}" as ${found}${last === '' ? '' : `:\n${last}`}`;
  return new AgentError('AGENT_FAILED', problem, options);
}

/** The last lines of an output, without escape codes and known secrets. */
export function outputTail(output: string): string {
  return lastLines(maskKnown(plainText(output.slice(-SEARCHED))), 20, 4000).trim();
}

// --- internal ---

/** Characters of an output that are searched for secrets and codes. */
const SEARCHED = 32_000;
