/**
 * What becomes of a question to people as time goes by.
 *
 * @module
 */
import { z } from 'zod';

const ms = z.number().min(0);

/** The schema of {@link InboxPolicy}. */
export const inboxPolicySchema = z
  .strictObject({
    /** Who is asked. @default 'default' */
    queue: z.string().min(1).optional(),
    /** How urgent it is. @default 'normal' */
    severity: z.enum(['normal', 'high', 'urgent']).optional(),
    /** Milliseconds after which whoever is asked is reminded, once. @default never */
    remindAfterMs: ms.optional(),
    /** Milliseconds after which it becomes one step more urgent, once. @default never */
    raiseAfterMs: ms.optional(),
    /** Milliseconds after which `onExpiry` happens. @default never */
    expireAfterMs: ms.optional(),
    /** What happens then: it is rejected, it goes on waiting, or another queue is asked. It is never approved. @default 'stay' */
    onExpiry: z.union([z.enum(['reject', 'stay']), z.strictObject({ queue: z.string().min(1) }).readonly()]).optional(),
  })
  .readonly();

/** The policy in something that has more. */
export function inboxPolicyOf(given: InboxPolicy): InboxPolicy {
  return onlyPolicy.parse(given);
}

/** Who is asked, how urgent it is, and what happens where nobody answers. */
export type InboxPolicy = z.infer<typeof inboxPolicySchema>;

/** What happens where nobody answers in time. */
export type OnExpiry = NonNullable<InboxPolicy['onExpiry']>;

/** How urgent it is. */
export type Severity = NonNullable<InboxPolicy['severity']>;

// --- internal ---

const onlyPolicy = z.object(inboxPolicySchema.unwrap().shape);
