/**
 * How a run was at any of its records: a fold over the records up to there.
 *
 * @module
 */
import { endsAttempt } from '../../../../src/model/events/attempt-end.ts';
import type { RunEvent, RunRecord } from '../../../../src/model/events/event.ts';
import type { Plan } from '../../../../src/model/plan/plan.ts';
import type { RunSnapshot } from '../../../../src/projections/run/run-result.ts';
import { foldRun } from '../../../../src/projections/run/run-view.ts';
import { follow, type Fold } from './follow.ts';

/** One phase has sent back another, so many times. */
export interface SentBack {
  readonly from: string;
  readonly to: string;
  readonly times: number;
}

/** A run as it was. */
export interface Story {
  /** The record up to which it is told; 0 before the first. */
  readonly seq: number;
  /** The time of that record, in milliseconds since 1970. */
  readonly time: number;
  readonly plan: Plan | undefined;
  readonly snapshot: RunSnapshot;
  /** Phases that sent back other phases so far, in the order of their first times; the same array until one does so again. */
  readonly sentBack: readonly SentBack[];
  /** How many retries the gates of phases have spent of what they have now; phases without any are left out. */
  readonly retries: ReadonlyMap<string, number>;
  /** Phases in which a task, or a reviewer, waits for the answer of a person. */
  readonly asking: ReadonlySet<string>;
}

/** Tells stories of one run. */
export interface Storyteller {
  /** The run up to a record. Going on from the last one told is cheap; going back begins from the first. */
  tell(records: readonly RunRecord[], seq: number): Story;
}

/** Begins before the first record. */
export function createStoryteller(): Storyteller {
  const follower = follow(beginStory);
  return { tell: (records, seq) => follower.to(records, seq) };
}

/** The fold from records to a story. */
export function beginStory(): Fold<Story> {
  const view = foldRun();
  const sentBack = new Map<string, SentBack>();
  const asked = new Map<string, Set<string>>();
  const spent = new Map<string, { readonly generation: number; readonly retries: number }>();
  let seq = 0;
  let time = 0;
  let plan: Plan | undefined;
  let pairs: readonly SentBack[] = [];
  return {
    apply(record) {
      const { event } = record;
      view.apply(record);
      ({ seq, time } = record);
      if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
      else if (event.type === 'phase.rewinding') {
        countRewind(sentBack, event.phase, event.target);
        pairs = [...sentBack.values()];
      }
      note(asked, record);
      countRetries(spent, event);
    },
    read: () => ({
      seq,
      time,
      plan,
      snapshot: view.snapshot(),
      sentBack: pairs,
      retries: new Map([...spent].map(([phase, { retries }]) => [phase, retries])),
      asking: new Set(asked.keys()),
    }),
  };
}

// --- internal ---

function countRewind(all: Map<string, SentBack>, from: string, to: string): void {
  const pair = JSON.stringify([from, to]);
  all.set(pair, { from, to, times: (all.get(pair)?.times ?? 0) + 1 });
}

/** A phase that starts afresh, or was sent back by another, has all of its retries again. */
function countRetries(
  all: Map<string, { readonly generation: number; readonly retries: number }>,
  event: RunEvent,
): void {
  if (event.type === 'phase.retrying') all.set(event.phase, { generation: event.generation, retries: event.spent });
  else if (
    event.type === 'phase.started' &&
    (event.attempt === 0 || all.get(event.phase)?.generation !== event.generation)
  )
    all.delete(event.phase);
}

/** Who asks: until it is answered, or the phase has come to something else. */
function note(asked: Map<string, Set<string>>, { event }: RunRecord): void {
  if (event.type === 'run.ended') asked.clear();
  if (!('phase' in event)) return;
  const tasks = asked.get(event.phase);
  if (event.type === 'task.asked') asked.set(event.phase, (tasks ?? new Set()).add(keyOf(event)));
  else if (event.type === 'task.answered') tasks?.delete(keyOf(event));
  else if (event.type === 'phase.started' || endsAttempt(event)) tasks?.clear();
  if (tasks?.size === 0) asked.delete(event.phase);
}

function keyOf({ reviewer, task }: { readonly reviewer: boolean; readonly task: string }): string {
  return `${reviewer ? 'reviewer' : 'task'} ${task}`;
}
