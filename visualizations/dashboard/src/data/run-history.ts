/**
 * The history of a run: its state at any of its records.
 *
 * @module
 */
import { endsAttempt } from '../../../../src/model/events/attempt-end.ts';
import type { RunEvent, RunRecord } from '../../../../src/model/events/event.ts';
import type { Plan } from '../../../../src/model/plan/plan.ts';
import { foldFleet, type LevelView } from '../../../../src/projections/run/fleet-view.ts';
import type { RunSnapshot } from '../../../../src/projections/run/run-result.ts';
import { foldRun } from '../../../../src/projections/run/run-view.ts';
import { progressText } from '../../../../src/projections/wording/record-words.ts';
import { follow, type Fold } from './follow.ts';

/** The number of times that one phase has sent back another. */
export interface SentBack {
  readonly from: string;
  readonly to: string;
  readonly times: number;
}

/** A run as of one of its records. */
export interface RunAtRecord {
  /** The number of that record; 0 before the first. */
  readonly seq: number;
  /** The time of that record, in milliseconds since 1970. */
  readonly time: number;
  readonly plan: Plan | undefined;
  readonly snapshot: RunSnapshot;
  /** Pairs of phases so far, in the order of their first rewinds. The array stays the same until the next rewind. */
  readonly sentBack: readonly SentBack[];
  /** Retries that gates have spent of their present budget. Phases without any are absent. */
  readonly retries: ReadonlyMap<string, number>;
  /** Phases in which a task or a reviewer waits for the answer of a person. */
  readonly asking: ReadonlySet<string>;
  /** The latest progress of phases at work, in words. Phases that have reported none are absent. */
  readonly progress: ReadonlyMap<string, string>;
  /** The levels of a fleet; none for any other run. */
  readonly levels: readonly LevelView[];
}

/** The history of one run. */
export interface RunHistory {
  /** The run as of a record. Going forward is cheap; going back starts again from the first record. */
  at(records: readonly RunRecord[], seq: number): RunAtRecord;
}

/** Creates a history. */
export function createRunHistory(): RunHistory {
  const follower = follow(startRunHistory);
  return { at: (records, seq) => follower.to(records, seq) };
}

/** Creates the fold from records to a run as of the last of them. */
export function startRunHistory(): Fold<RunAtRecord> {
  const view = foldRun();
  const fleet = foldFleet();
  const sentBack = new Map<string, SentBack>();
  const asked = new Map<string, Set<string>>();
  const progress = new Map<string, string>();
  const spent = new Map<string, { readonly generation: number; readonly retries: number }>();
  let seq = 0;
  let time = 0;
  let plan: Plan | undefined;
  let pairs: readonly SentBack[] = [];
  return {
    apply(record) {
      const { event } = record;
      view.apply(record);
      fleet.apply(record);
      ({ seq, time } = record);
      if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
      else if (event.type === 'phase.rewinding') {
        countRewind(sentBack, event.phase, event.target);
        pairs = [...sentBack.values()];
      }
      note(asked, record);
      noteProgress(progress, event);
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
      progress: new Map(progress),
      levels: fleet.levels(),
    }),
  };
}

// --- internal ---

function countRewind(all: Map<string, SentBack>, from: string, to: string): void {
  const pair = JSON.stringify([from, to]);
  all.set(pair, { from, to, times: (all.get(pair)?.times ?? 0) + 1 });
}

/** A fresh start, and a rewind by another phase, give a phase its whole retry budget again. */
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

/** Notes the progress of the tasks, then of the reviewers, of an attempt. */
function noteProgress(all: Map<string, string>, event: RunEvent): void {
  if (event.type === 'run.ended') all.clear();
  else if (event.type === 'task.reported') {
    if (event.progress !== undefined && event.late !== true) all.set(event.phase, progressText(event.progress));
  } else if (event.type === 'phase.started' || event.type === 'review.started' || endsAttempt(event))
    all.delete(event.phase);
}

/** Notes open questions: until they are answered, or the phase has moved on. */
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
