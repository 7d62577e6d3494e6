/**
 * Folds that follow a log of records, forwards and backwards.
 *
 * @module
 */
import type { RunRecord } from '../../../../src/model/events/event.ts';

/** A fold over the records of one run, in order. */
export interface Fold<T> {
  apply(record: RunRecord): void;
  /** The result so far. */
  read(): T;
}

/** A fold with a result for any record. */
export interface Follower<T> {
  /** The result of the records up to one of them. Going forward is cheap; going back starts again from the first record. */
  to(records: readonly RunRecord[], seq: number): T;
}

/**
 * Follows a log.
 *
 * Going back starts a new fold. That takes about 20 ms for 20 000 records, less than storing or copying intermediate folds.
 */
export function follow<T>(begin: () => Fold<T>): Follower<T> {
  let fold = begin();
  let done = 0;
  let log: readonly RunRecord[] | undefined;
  let last: T | undefined;
  return {
    to(records, seq) {
      if (seq < done || log !== records) {
        fold = begin();
        done = 0;
        last = undefined;
      }
      log = records;
      while (done < seq) {
        const record = records[done];
        if (!record) break;
        fold.apply(record);
        done += 1;
        last = undefined;
      }
      return (last ??= fold.read());
    },
  };
}
