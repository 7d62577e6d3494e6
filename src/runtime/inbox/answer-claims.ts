/**
 * Claims of answers: each item has one place for an answer, and the first process to take it wins.
 *
 * @module
 */
import type { AnswerBody } from '../../projections/inbox/reply.ts';

/** Answers of this process that are being claimed. */
export interface Claims {
  /**
   * Claims the place of an item for an answer, then applies the answer. Without a store it applies the answer at once.
   *
   * @throws PhasegateError `ANSWERED` if another answer has the place; then nothing is applied.
   */
  take(item: string, body: AnswerBody, by: string | undefined, act: () => void): Promise<void>;
  /** Resolves when no answer of this process to the item is being claimed. */
  settled(item: string): Promise<void>;
}

/** Claims the place for an answer in a store. @throws PhasegateError `ANSWERED` if another answer has it. */
export type Claim = (item: string, body: AnswerBody, by: string | undefined) => Promise<void>;

/** Creates an empty set of claims. @param claim Absent for a run without a store, as no other process can answer it. */
export function createClaims(claim: Claim | undefined): Claims {
  const underway = new Map<string, Promise<unknown>>();
  return {
    async take(item, body, by, act) {
      if (!claim) {
        act();
        return;
      }
      const done = claim(item, body, by).then(act);
      const all = Promise.allSettled([underway.get(item), done]);
      underway.set(item, all);
      await done.finally(() => underway.get(item) === all && underway.delete(item));
    },
    async settled(item) {
      await underway.get(item);
    },
  };
}
