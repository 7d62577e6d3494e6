/**
 * The only place that there is for an answer to an item, and who has it: this process, or another one.
 *
 * @module
 */
import type { AnswerBody } from '../../projections/inbox/reply.ts';

/** Answers of this process on their way into the place of their item. */
export interface Claims {
  /**
   * Has an answer take the place of its item, and does then what was answered: at once where the run is not kept.
   *
   * @throws PhasegateError `ANSWERED` where another answer has the place; nothing is done then.
   */
  take(item: string, body: AnswerBody, by: string | undefined, act: () => void): Promise<void>;
  /** Resolves when no answer of this process is on its way to an item. */
  settled(item: string): Promise<void>;
}

/** Has an answer take its place in a store. @throws PhasegateError `ANSWERED` where another has it. */
export type Claim = (item: string, body: AnswerBody, by: string | undefined) => Promise<void>;

/** No answers yet. @param claim Absent where the run is not kept, as nobody else can answer then. */
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
