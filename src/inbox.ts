/**
 * phasegate/inbox: items that wait for people, and the answers to them.
 *
 * @module
 */
export { answerItem } from './runtime/inbox/answer-item.ts';
export { replySchema, type AnswerOptions, type Reply } from './projections/inbox/reply.ts';
export type { InboxItem, ItemKind, Severity } from './projections/inbox/inbox-item.ts';
export { itemDetail, type ItemDetail, type TriedAttempt } from './projections/inbox/item-detail.ts';
export type { Choice, Consequences } from './projections/inbox/item-choices.ts';
export { reclassify } from './projections/inbox/reclassify.ts';
