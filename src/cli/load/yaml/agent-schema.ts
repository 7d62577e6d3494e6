/**
 * Schemas of agents in a pipeline file and in a fleet file.
 *
 * @module
 */
import { z } from 'zod';
import { text } from './command-schema.ts';
import { withDescription } from './with-descriptions.ts';

/** Names of agents that are known programs. */
export const KNOWN_AGENTS = ['claude', 'codex', 'gemini'] as const;

/** The forms of an agent in one text. */
const AGENT_FORMS = 'claude, codex, gemini, acp:<line> or command:<line>';
const AGENT_TEXT = /^(?:claude|codex|gemini|(?:acp|command):\s*\S[^]*)$/u;

/** The schema of the words of a program. */
export const words = z.array(z.union([text.min(1), z.number(), z.boolean()])).min(1);

const variables = z.record(text, z.union([text, z.number(), z.boolean()]));

const answer = z.enum(['allow', 'reject', 'ask']);

/** The schema of permissions. */
export const permissions = z.strictObject({
  commands: withDescription(answer.optional(), 'Commands. Agents with a sandbox run them in it in any case.', 'reject'),
  outside: withDescription(answer.optional(), 'Files outside of the folder of the agent.', 'reject'),
  network: withDescription(answer.optional(), 'Requests to the network.', 'reject'),
});

const detailed = z
  .strictObject({
    profile: withDescription(
      z.enum(KNOWN_AGENTS).optional(),
      'A known program. Without it, the agent is of "acp" or "command".',
    ),
    acp: withDescription(
      words.optional(),
      'A program that speaks the Agent Client Protocol, and its arguments. Without it, the agent is of "profile" or "command".',
    ),
    command: withDescription(
      words.optional(),
      'Any program and its arguments, as an agent. Without it, the agent is of "profile" or "acp".',
    ),
    name: withDescription(text.min(1).optional(), 'Names the agent in messages. Without it the program is the name.'),
    env: withDescription(variables.optional(), 'Environment variables in addition to those of phasegate.', {}),
    model: withDescription(
      text.min(1).optional(),
      'The model, for a profile. Without it the program has its own choice.',
    ),
    program: withDescription(
      words.optional(),
      'The first words of the command line, for a profile. Without it the program is found by PATH.',
    ),
    args: withDescription(
      z.array(z.union([text, z.number(), z.boolean()])).optional(),
      'Arguments after those of the profile. They can widen its permissions.',
      [],
    ),
    prompt: withDescription(
      z.enum(['stdin', 'file', 'argument']).optional(),
      'The way in which a command gets its prompt. With "file" and "argument", "{prompt}" in its line is the path or the text.',
      'stdin',
    ),
    readOnly: withDescription(
      z.union([z.literal(true), words]).optional(),
      'The line of a command for reviews, or true if it changes nothing with the same line. Without it, a command reviews only in a workspace.',
    ),
    readMode: withDescription(
      text.min(1).optional(),
      'The mode for reviews, as an agent of "acp" names it. Without it, the mode is its own.',
    ),
    reports: withDescription(
      z
        .strictObject({
          tokens: withDescription(z.boolean().optional(), 'True if it reports tokens.', false),
          cost: withDescription(z.boolean().optional(), 'True if it reports dollars.', false),
        })
        .optional(),
      'Amounts that an agent of "acp" reports. A limit on any other amount needs an estimate.',
      {},
    ),
  })
  .superRefine(
    (given, { issues }) => {
      const kinds = KINDS.filter((kind) => given[kind] !== undefined);
      const [kind] = kinds;
      if (kind === undefined || kinds.length > 1) {
        const message = `expected one of ${KINDS.map((one) => `"${one}"`).join(', ')}`;
        issues.push({ code: 'custom', input: given, path: [], message });
        return;
      }
      for (const [key, owner] of Object.entries(OWNERS)) {
        if (owner === kind || !Object.hasOwn(given, key)) continue;
        issues.push({ code: 'custom', input: given, path: [key], message: `expected with "${owner}" only` });
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );

/** The schema of an agent. */
export const agent = z.union([text.regex(AGENT_TEXT, `expected ${AGENT_FORMS}`), words, detailed], {
  error: ({ code }) =>
    code === 'invalid_union' ? `expected ${AGENT_FORMS}, a list of words, or an object` : undefined,
});

/** An agent as a file gives it. */
export type AgentFields = z.infer<typeof agent>;

/** The kinds of an agent with options. */
export const KINDS = ['profile', 'acp', 'command'] as const;

// --- internal ---

/** The kind that each option belongs to, if it does not belong to all. */
const OWNERS: Readonly<Record<string, (typeof KINDS)[number]>> = {
  model: 'profile',
  program: 'profile',
  args: 'profile',
  prompt: 'command',
  readOnly: 'command',
  readMode: 'acp',
  reports: 'acp',
};
