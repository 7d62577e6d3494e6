/**
 * The policy of a question to people: its queue, its urgency, and reminders and expiry over time.
 *
 * @module
 */
import { z } from 'zod';

const ms = z.number().min(0);

/** The schema of {@link InboxPolicy}. */
export const inboxPolicySchema = z
  .strictObject({
    /** The queue of people who are asked. @default 'default' */
    queue: z.string().min(1).optional(),
    /** The urgency. @default 'normal' */
    severity: z.enum(['normal', 'high', 'urgent']).optional(),
    /** Milliseconds after which people are reminded, once. @default never */
    remindAfterMs: ms.optional(),
    /** Milliseconds after which the urgency rises by one step, once. @default never */
    raiseAfterMs: ms.optional(),
    /** Milliseconds after which `onExpiry` applies. @default never */
    expireAfterMs: ms.optional(),
    /** The action on expiry: reject, keep waiting, or ask another queue. It never approves. @default 'stay' */
    onExpiry: z.union([z.enum(['reject', 'stay']), z.strictObject({ queue: z.string().min(1) }).readonly()]).optional(),
  })
  .readonly();

/** Extracts the inbox policy from an object with more fields. */
export function inboxPolicyOf(given: InboxPolicy): InboxPolicy {
  return onlyPolicy.parse(given);
}

/** The queue and urgency of a question, and what happens if nobody answers. */
export type InboxPolicy = z.infer<typeof inboxPolicySchema>;

/** The action if nobody answers in time. */
export type OnExpiry = NonNullable<InboxPolicy['onExpiry']>;

/** The urgency of a question. */
export type Severity = NonNullable<InboxPolicy['severity']>;

/** Name of the decider in decisions by a deadline. */
export const CLOCK = 'the clock';

// --- internal ---

const onlyPolicy = z.object(inboxPolicySchema.unwrap().shape);
