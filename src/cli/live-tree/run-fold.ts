/**
 * The fold from records to the live tree: the snapshot of the run, and details that a result leaves out.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { foldRunTimes, type RunTimes } from '../../model/events/run-times.ts';
import { starterOf } from '../../model/handlers/work-key.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { foldFleet, type LevelView } from '../../projections/run/fleet-view.ts';
import type { RunSnapshot } from '../../projections/run/run-result.ts';
import { foldRun } from '../../projections/run/run-view.ts';
import { foldTimeline, type TimelineBar } from '../../projections/timeline/timeline.ts';
import { barsByPhase, endBars, workTimes, type WorkTimes } from '../../projections/timeline/work-times.ts';
import { foldChildren } from './child-folds.ts';
import {
  applyToDetails,
  draftDetails,
  NO_DETAILS,
  startOver,
  type DetailsDraft,
  type PhaseDetails,
} from './phase-details.ts';

/** The phases and limits that wait for a person. */
export interface Waiting {
  readonly phases: ReadonlySet<string>;
  readonly limits: readonly string[];
}

/** The state of a run for the tree. */
export interface RunFold {
  /** Applies the next record of the run, or of a run that its tasks have started, or theirs. */
  apply(record: RunRecord): void;
  readonly plan: Plan | undefined;
  /** The times of the first and the latest record, in milliseconds since 1970. The first record of a fork is a copy from the original run. */
  readonly startedAt: number;
  readonly lastAt: number;
  /** Returns the times of the run up to now. @param now Milliseconds since 1970. */
  times(now: number): RunTimes;
  /** Returns the snapshot; the same object until the next record. */
  snapshot(): RunSnapshot;
  /** Returns the phases that wait for a person, and the limits that hold the run until a person decides. */
  waiting(): Waiting;
  /** Returns the times of a phase, in which it worked and waited, up to now. @param now Milliseconds since 1970. */
  phaseTimes(phase: string, now: number): WorkTimes;
  details(phase: string): PhaseDetails;
  /** Returns the levels of a fleet, by the names of their phases. The same object until the next record. */
  levels(): ReadonlyMap<string, LevelView>;
  /** Returns the latest run that each task of the phase has started. */
  children(phase: string): readonly RunFold[];
}

/** Creates the fold, before the first record. */
export function foldRunForTree(): RunFold {
  const view = foldRun();
  const inbox = foldInbox();
  const fleet = foldFleet();
  const timeline = foldTimeline();
  const phases = new Map<string, DetailsDraft>();
  const children = foldChildren(foldRunForTree);
  let runId: string | undefined;
  let plan: Plan | undefined;
  const times = foldRunTimes();
  let startedAt = 0;
  let lastAt = 0;
  let snapshot: RunSnapshot | undefined;
  let waiting: Waiting | undefined;
  let bars: ReadonlyMap<string, readonly TimelineBar[]> | undefined;
  let levels: ReadonlyMap<string, LevelView> | undefined;

  function draft(name: string): DetailsDraft {
    const known = phases.get(name) ?? draftDetails();
    phases.set(name, known);
    return known;
  }

  return {
    apply(record) {
      runId ??= record.runId;
      const starter = record.runId === runId ? undefined : starterOf(runId, record.runId);
      if (starter) {
        children.apply(starter, record);
        return;
      }
      fleet.apply(record);
      view.apply(record);
      inbox.apply(record);
      timeline.apply(record);
      times.apply(record);
      lastAt = record.time;
      snapshot = undefined;
      waiting = undefined;
      bars = undefined;
      levels = undefined;
      const { event, time } = record;
      if (event.type === 'run.started') {
        plan = event.plan;
        startedAt = time;
      } else if (event.type === 'run.resumed') {
        plan = event.plan ?? plan;
      } else if (event.type === 'run.reopened') {
        for (const phase of phases.values()) startOver(phase);
      } else if ('phase' in event) {
        applyToDetails(draft, event);
      }
    },
    get plan() {
      return plan;
    },
    get startedAt() {
      return startedAt;
    },
    get lastAt() {
      return lastAt;
    },
    times: (now) => times.at(now),
    snapshot: () => (snapshot ??= view.snapshot()),
    waiting: () => (waiting ??= waitingIn(inbox.open())),
    phaseTimes: (name, now) =>
      workTimes(endBars((bars ??= barsByPhase(timeline.timeline().bars)).get(name) ?? [], now)),
    details: (name) => phases.get(name) ?? NO_DETAILS,
    levels: () => (levels ??= new Map(fleet.levels().map((level) => [level.phase, level]))),
    children: (phase) => children.of(phase),
  };
}

// --- internal ---

function waitingIn(items: readonly InboxItem[]): Waiting {
  const limits = items.filter(({ kind }) => kind === 'limit').map(({ about }) => about);
  return { phases: new Set(items.filter(({ kind }) => kind !== 'limit').map(({ about }) => about)), limits };
}
