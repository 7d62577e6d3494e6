/**
 * Invalid answers, with the error code of each. They change nothing.
 *
 * @module
 */
import type { InboxItem, ItemKind, Reply } from '../../src/inbox.ts';

/** An answer that must be refused. */
export interface Mistake {
  readonly reply: Reply;
  readonly code: 'ANSWER_INVALID' | 'ANSWER_STALE' | 'DECISION_INVALID' | 'DECISION_TARGET_INVALID';
  /** A nonce other than that of the item. */
  readonly nonce?: string;
}

/** Returns two invalid answers to an item. */
export function mistakesAbout(item: InboxItem, seed: number): readonly Mistake[] {
  const all = [...MISTAKES[item.kind], STALE];
  return [seed, seed * 3 + 1].flatMap((nth) => all[nth % all.length] ?? []);
}

// --- internal ---

const APPROVE = { type: 'decide', decision: 'APPROVE' } as const;

const STALE: Mistake = { reply: { type: 'abort' }, nonce: 'another', code: 'ANSWER_STALE' };

const NO_DECISIONS: readonly Mistake[] = ['', ' \n', 'fine by me', 'I cannot APPROVE this'].map((decision) => ({
  reply: { type: 'decide', decision },
  code: 'DECISION_INVALID',
}));

const NO_VALUE: Mistake = { reply: { type: 'value', value: 1 }, code: 'ANSWER_INVALID' };

const NOT_SKIPPED: Mistake = { reply: { type: 'skip' }, code: 'ANSWER_INVALID' };

const NOBODY: Mistake = {
  reply: { type: 'decide', decision: { type: 'retryPredecessor', phase: 'nobody', feedback: '' } },
  code: 'DECISION_TARGET_INVALID',
};

const EDITED_RETRY: Mistake = {
  reply: { type: 'decide', decision: 'RETRY: so', outputs: { t0: 1 } },
  code: 'ANSWER_INVALID',
};

const MISTAKES: Readonly<Record<ItemKind, readonly Mistake[]>> = {
  task: [
    NOT_SKIPPED,
    { reply: APPROVE, code: 'ANSWER_INVALID' },
    { reply: { type: 'value', value: 'many' }, code: 'ANSWER_INVALID' },
    { reply: { type: 'value', value: Number.NaN }, code: 'ANSWER_INVALID' },
    { reply: { type: 'value', value: undefined }, code: 'ANSWER_INVALID' },
  ],
  review: [...NO_DECISIONS, NO_VALUE, NOT_SKIPPED, NOBODY, EDITED_RETRY],
  escalation: [
    ...NO_DECISIONS,
    NO_VALUE,
    NOBODY,
    EDITED_RETRY,
    { reply: { type: 'decide', decision: 'ESCALATE: you say' }, code: 'DECISION_INVALID' },
  ],
  limit: [
    ...NO_DECISIONS,
    NO_VALUE,
    NOT_SKIPPED,
    { reply: { type: 'decide', decision: 'RETRY: so' }, code: 'DECISION_INVALID' },
    { reply: { ...APPROVE, outputs: { t0: 1 } }, code: 'ANSWER_INVALID' },
  ],
};
