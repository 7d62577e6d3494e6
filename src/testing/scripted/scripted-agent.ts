/**
 * An agent that works from a script.
 *
 * @module
 */
import type { Agent, AgentResult, AgentTurn } from '../../agents/agent.ts';
import { stepper } from './script-steps.ts';

/** A scripted agent, with the turns that it took. */
export interface ScriptedAgent extends Agent {
  /** Turns so far, oldest first. */
  readonly turns: readonly AgentTurn[];
}

/**
 * Makes an agent that works from a script, without a program.
 *
 * @param steps One step for each turn, or one for all: the text of the answer, a function of the turn that may change files in `turn.cwd`
 *   and returns the text, a result such as `{ stop: 'refused', text: '…' }`, `verdict(…)`, `fails(error)`, or `repeats(step)`.
 * @param options Its name, and the amounts that it reports. @default `scripted`, none
 * @throws PhasegateError `SCRIPT_INVALID`, from the turn, if the script is too short or has a step for rehearsals. No retry follows.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent([({ cwd }) => writeFile(join(cwd, 'a.txt'), 'done'), 'Nothing to do.']);
 * ```
 */
export function scriptedAgent(
  steps: unknown,
  { name = 'scripted', reports = { tokens: false, cost: false } }: Partial<Pick<Agent, 'name' | 'reports'>> = {},
): ScriptedAgent {
  const next = stepper(`agent "${name}"`, steps);
  const turns: AgentTurn[] = [];
  return {
    name,
    reports,
    access: ['write', 'read'],
    turns,
    async run(turn) {
      turns.push(turn);
      if (turn.signal.aborted) return { stop: 'cancelled', text: '' };
      const result = resultOf(await next(turn));
      return turn.signal.aborted ? { stop: 'cancelled', text: '' } : result;
    },
  };
}

// --- internal ---

function resultOf(value: unknown): AgentResult {
  if (isResult(value)) return value;
  return {
    stop: 'done',
    text: value === undefined ? 'Done.' : typeof value === 'string' ? value : JSON.stringify(value),
  };
}

function isResult(value: unknown): value is AgentResult {
  return typeof value === 'object' && value !== null && 'stop' in value && 'text' in value;
}
