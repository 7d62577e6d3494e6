/**
 * Requests from outside, which may be anything.
 *
 * A handler that throws is tried again, and keeps the next calls of its run waiting. So a request of another shape is refused.
 *
 * @module
 */
import * as z from 'zod';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { limitsSchema } from '../model/plan/policy-schema.ts';
import { TEXT_LIMITS } from '../model/values/text-limits.ts';
import { replySchema } from '../projections/inbox/reply.ts';

/** The argument of `start`. */
export const startRequest = z.object({
  pipeline: z.string().max(TEXT_LIMITS.name),
  input: z.unknown().optional(),
  attended: z.boolean().optional(),
  limits: limitsSchema.optional(),
});

/** The argument of `answer`. */
export const answerRequest = z.object({
  item: z.string().max(TEXT_LIMITS.name),
  reply: replySchema,
  by: z.string().max(TEXT_LIMITS.name).optional(),
  nonce: z.string().max(TEXT_LIMITS.name).optional(),
});

/** The argument of `cancel`. */
export const cancelRequest = z.object({ reason: z.string() });

/** The argument of `records`. */
export const recordsRequest = z.object({ from: z.number() });

/** Reads a request. @throws PhasegateError `INPUT_INVALID` if it has another shape. */
export function readRequest<T>(schema: z.ZodType<T>, handler: string, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const found = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`.slice(0, MOST_SHOWN);
  throw new PhasegateError(
    'INPUT_INVALID',
    `Cannot ${handler} a run on Restate as the request has another shape: ${found}`,
    {
      hint: 'Use restateRuns() of phasegate/restate.',
    },
  );
}

// --- internal ---

/** Most characters of a problem that are shown. */
const MOST_SHOWN = 300;
