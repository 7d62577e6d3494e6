/**
 * Schemas of tasks and reviewers in a pipeline file: each is a command or an agent.
 *
 * @module
 */
import { z } from 'zod';
import { agent, permissions } from './agent-schema.ts';
import { command, commandObject, text } from './command-schema.ts';
import { withDescription } from './with-descriptions.ts';

/** Keys of work that may be a command or an agent. @param prompt Description of the prompt. */
export function agentKeys(prompt: string) {
  return {
    ...command,
    command: withDescription(
      command.command.optional(),
      `${command.command.description} Without it, "agent" is needed.`,
    ),
    agent: withDescription(
      agent.optional(),
      'The agent: claude, codex, gemini, "acp:<line>", "command:<line>", the words of a program, or an object with options. Without it, "command" is needed.',
    ),
    prompt: withDescription(
      text.regex(/\S/u, 'expected words').max(100_000).optional(),
      `${prompt} Without it, there is no agent.`,
    ),
    permissions: withDescription(permissions.optional(), 'What an agent may do beyond the files of its folder.', {}),
  };
}

/** Creates a strict object schema of work: a command, or an agent with its prompt. */
export function workObject<S extends z.core.$ZodShape>(shape: S) {
  return commandObject(shape)
    .superRefine(
      (value, { issues }) => {
        for (const [key, message] of kindProblems(value))
          issues.push({ code: 'custom', input: value, path: [key], message });
      },
      // Other problems of the same work are reported with these.
      { when: ({ value }) => typeof value === 'object' && value !== null },
    )
    .meta({
      oneOf: [{ required: ['command'] }, { required: ['agent', 'prompt'] }],
      dependencies: Object.fromEntries([
        ...OF_AGENTS.map((key) => [key, ['agent']]),
        ...OF_COMMANDS.map((key) => [key, ['command']]),
      ]),
    });
}

// --- internal ---

/** Keys that only an agent may have, and only a command. */
const OF_AGENTS = ['prompt', 'permissions'] as const;
const OF_COMMANDS = ['shell', 'cwd', 'env', 'stdin', 'maxOutputBytes', 'description', 'output'] as const;

/** Returns problems by key. */
function kindProblems(work: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const has = (key: string) => Object.hasOwn(work, key) && work[key] !== undefined;
  if (!has('agent')) {
    return [
      ...(has('command') ? [] : [['command', 'expected a program with its arguments, or "agent"'] as const]),
      ...OF_AGENTS.filter(has).map((key) => [key, 'expected with "agent" only'] as const),
    ];
  }
  if (has('command')) return [['agent', 'expected either "agent" or "command"']];
  return [
    ...(has('prompt') ? [] : [['prompt', 'expected the work of the agent in words'] as const]),
    ...OF_COMMANDS.filter(has).map((key) => [key, 'expected with "command" only'] as const),
  ];
}
