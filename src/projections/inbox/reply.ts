/**
 * Replies of people to items of the inbox.
 *
 * @module
 */
import { z } from 'zod';
import { decisionSchema } from '../../model/decision/decision.ts';

const reason = z.string().optional();

/** The schema of {@link Reply}, for replies from outside. */
export const replySchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('decide'),
      /** A decision, or its text; for a limit only approve and reject. */
      decision: z.union([decisionSchema, z.string()]),
      /** With an approval: outputs that replace those of the attempt, by task. @default {} */
      outputs: z.record(z.string(), z.unknown()).readonly().optional(),
    })
    .readonly(),
  /** The output of a person who is a task. */
  z.strictObject({ type: z.literal('value'), value: z.unknown() }).readonly(),
  /** Skips the waiting phase, with every phase that needs it. */
  z.strictObject({ type: z.literal('skip'), reason }).readonly(),
  /** Ends the run as cancelled. */
  z.strictObject({ type: z.literal('abort'), reason }).readonly(),
]);

/** A person's reply to an item of the inbox. JSON. */
export type Reply = z.infer<typeof replySchema>;

/** Options of an answer. */
export interface AnswerOptions {
  /** The item's nonce. With it, an answer is refused if the question was asked again meanwhile. */
  readonly nonce?: string | undefined;
  /** The person who answers, for the records. */
  readonly by?: string | undefined;
}

/** The body of a message that answers an item. JSON. */
export interface AnswerBody {
  readonly reply: unknown;
  readonly nonce?: string | undefined;
}

/** Reads the body of a message. An invalid one becomes a reply that every item refuses. */
export function readAnswerBody(body: unknown): AnswerBody {
  const parsed = bodySchema.safeParse(body);
  return parsed.success ? parsed.data : { reply: body };
}

// --- internal ---

const bodySchema = z.strictObject({ reply: z.unknown(), nonce: z.string().optional() });
