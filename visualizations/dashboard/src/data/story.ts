/**
 * How a run was at any of its records: a fold over the records up to there.
 *
 * @module
 */
import type { RunRecord } from '../../../../src/model/event.ts';
import type { Plan } from '../../../../src/model/plan.ts';
import type { RunSnapshot } from '../../../../src/model/result.ts';
import { createRunView } from '../../../../src/model/view.ts';

/** A run as it was. */
export interface Story {
  /** The record up to which it is told; 0 before the first. */
  readonly seq: number;
  /** The time of that record, in milliseconds since 1970. */
  readonly time: number;
  readonly plan: Plan | undefined;
  readonly snapshot: RunSnapshot;
}

/** Tells stories of one run. */
export interface Storyteller {
  /** The run up to a record. Going on from the last one told is cheap; going back begins from the first. */
  tell(records: readonly RunRecord[], seq: number): Story;
}

/** Begins before the first record. */
export function createStoryteller(): Storyteller {
  let folds = begin();
  return {
    tell(records, seq) {
      if (seq < folds.seq) folds = begin();
      while (folds.seq < seq) {
        const record = records[folds.seq];
        if (!record) break;
        folds.view.apply(record);
        if (record.event.type === 'run.started' || record.event.type === 'run.resumed')
          folds.plan = record.event.plan ?? folds.plan;
        folds.seq += 1;
        folds.time = record.time;
      }
      return { seq: folds.seq, time: folds.time, plan: folds.plan, snapshot: folds.view.snapshot() };
    },
  };
}

// --- internal ---

interface Folds {
  seq: number;
  time: number;
  plan: Plan | undefined;
  readonly view: ReturnType<typeof createRunView>;
}

function begin(): Folds {
  return { seq: 0, time: 0, plan: undefined, view: createRunView() };
}
