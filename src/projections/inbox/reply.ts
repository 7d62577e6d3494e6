/**
 * What a person can say to an item of the inbox.
 *
 * @module
 */
import { z } from 'zod';
import { decisionSchema } from '../../model/decision/decision.ts';

const reason = z.string().optional();

/** The schema of {@link Reply}, for replies that come from elsewhere. */
export const replySchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('decide'),
      /** A decision, or its text; of a limit just approve and reject. */
      decision: z.union([decisionSchema, z.string()]),
      /** With an approval: outputs that take the place of those of the attempt, by task. @default {} */
      outputs: z.record(z.string(), z.unknown()).readonly().optional(),
    })
    .readonly(),
  /** What a person who is a task puts out. */
  z.strictObject({ type: z.literal('value'), value: z.unknown() }).readonly(),
  /** The phase that waits is skipped, with everything that needs it. */
  z.strictObject({ type: z.literal('skip'), reason }).readonly(),
  /** The run ends as cancelled. */
  z.strictObject({ type: z.literal('abort'), reason }).readonly(),
]);

/** What a person says to an item of the inbox. JSON. */
export type Reply = z.infer<typeof replySchema>;

/** How an answer is given. */
export interface AnswerOptions {
  /** The item's nonce, where one has it: then an answer to what was asked anew meanwhile is refused. */
  readonly nonce?: string | undefined;
  /** Who answers, for the records. */
  readonly by?: string | undefined;
}

/** The body of a message that answers an item. JSON. */
export interface AnswerBody {
  readonly reply: unknown;
  readonly nonce?: string | undefined;
}

/** Reads the body of a message; what is none is a reply that nobody will take. */
export function readAnswerBody(body: unknown): AnswerBody {
  const parsed = bodySchema.safeParse(body);
  return parsed.success ? parsed.data : { reply: body };
}

// --- internal ---

const bodySchema = z.strictObject({ reply: z.unknown(), nonce: z.string().optional() });
