/**
 * Construction of agents from a pipeline file, a fleet file, or a flag.
 *
 * @module
 */
import { acpAgent } from '../../../acp/acp-agent.ts';
import type { Agent } from '../../../agents/agent.ts';
import { commandAgent } from '../../../agents/command/command-agent.ts';
import { jsonlAgent } from '../../../agents/jsonl/jsonl-agent.ts';
import { PhasegateError } from '../../../model/errors/phasegate-error.ts';
import { promptWay, readAgentLine } from '../../options/agent-line.ts';
import { KNOWN_AGENTS, type AgentFields } from './agent-schema.ts';

/** Options of {@link agentOf}. */
export interface AgentOptions {
  /**
   * True if a reviewer that changes a file is refused anyway, as a workspace compares. Then any program may review.
   *
   * @default false
   */
  readonly isCompared?: boolean | undefined;
}

/**
 * Makes an agent of its name: `claude`, `codex`, `gemini`, `acp:<line>`, `command:<line>`, a program with its arguments, or an object with
 * options.
 *
 * @throws PhasegateError `DEFINITION_INVALID` if there is no such agent, its line cannot be read, or its options disagree.
 */
export function agentOf(given: AgentFields, { isCompared = false }: AgentOptions = {}): Agent {
  const readOnly = isCompared ? true : undefined;
  if (typeof given === 'string') return namedAgent(given, readOnly);
  if (Array.isArray(given)) return commandOf(given, readOnly);
  const { profile, acp = [], command, name, model, args, program, prompt, readMode, reports } = given;
  const env = given.env && Object.fromEntries(Object.entries(given.env).map(([key, value]) => [key, String(value)]));
  if (profile !== undefined) {
    return jsonlAgent(profile, {
      name,
      env,
      model,
      args: args?.map(String),
      program: program && lineOf(program),
    });
  }
  if (command === undefined)
    return acpOf(acp.map(String), {
      name,
      env,
      readMode,
      reports: { tokens: reports?.tokens ?? false, cost: reports?.cost ?? false },
    });
  const own = Array.isArray(given.readOnly) ? lineOf(given.readOnly) : given.readOnly;
  return commandAgent(lineOf(command), { name, env, prompt, readOnly: own ?? readOnly });
}

// --- internal ---

function namedAgent(given: string, readOnly: true | undefined): Agent {
  const line = readAgentLine(given);
  if (line?.kind === 'command') return commandOf(line.words, readOnly);
  if (line) return acpOf(line.words, {});
  const known = KNOWN_AGENTS.find((one) => one === given);
  if (known) return jsonlAgent(known);
  throw new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot use agent ${JSON.stringify(given)} as there is none of that name`,
    {
      hint: 'Name claude, codex or gemini; acp:<line> for an agent of the Agent Client Protocol; command:<line> for any program.',
    },
  );
}

function commandOf(words: Words, readOnly: true | undefined): Agent {
  const line = lineOf(words);
  return commandAgent(line, { prompt: promptWay(line), readOnly });
}

function acpOf(
  [command = '', ...args]: readonly string[],
  more: Omit<Parameters<typeof acpAgent>[0], 'command'>,
): Agent {
  return acpAgent({ command, args, ...more });
}

type Words = readonly (string | number | boolean)[];

function lineOf(words: Words): readonly [string, ...string[]] {
  const [program = '', ...args] = words.map(String);
  return [program, ...args];
}
