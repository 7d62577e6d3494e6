/**
 * Refusal of options of a fleet that would let it wait forever, or be read as another option.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { FleetOptions } from './fleet-options.ts';

/**
 * Refuses invalid options, as programs in JavaScript can give any.
 *
 * @throws PhasegateError `DEFINITION_INVALID` with every invalid option.
 */
export function refuseOptions(options: FleetOptions): void {
  const parsed = schema.safeParse(options);
  if (parsed.success) return;
  const found = parsed.error.issues.map(({ path, message }) => `\`${path.join('.') || 'options'}\`: ${message}`);
  throw new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot make a fleet as its options are invalid: ${found.join('; ')}`,
    {
      hint: 'Correct them. The type `FleetOptions` has their meaning and defaults.',
    },
  );
}

// --- internal ---

const rule = z.enum(['allow', 'reject', 'ask']).optional();

/** The options that are data and have no other check. Agents, limits, policies and gates have their own. */
const schema = z.object({
  workspace: z.custom(
    (value) => typeof value === 'object' && value !== null,
    'expected workspaces, as of gitWorkspace()',
  ),
  agent: z.custom(isAgent, "expected an agent, as of jsonlAgent('claude'), or a function of a subtask"),
  maxAttempts: z.int().min(1).optional(),
  concurrency: z.union([z.literal('unlimited'), z.int().min(1)]).optional(),
  conflicts: z.enum(['rework', 'review', 'halt']).optional(),
  rework: z.enum(['reset', 'continue']).optional(),
  onFailure: z.enum(['halt', 'finish-level']).optional(),
  overlaps: z.enum(['serialise', 'refuse']).optional(),
  timeout: z.number().min(0).optional(),
  permissions: z.object({ commands: rule, outside: rule, network: rule }).optional(),
});

function isAgent(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && 'access' in value);
}
