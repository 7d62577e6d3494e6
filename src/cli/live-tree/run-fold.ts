/**
 * The fold from records to what the live tree shows: how the run stands, and the details that a result leaves out.
 *
 * @module
 */
import type { EventOf, RunEvent, RunRecord } from '../../model/events/event.ts';
import { foldRunTimes, type RunTimes } from '../../model/events/run-times.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { RunSnapshot } from '../../projections/run/run-result.ts';
import { foldRun } from '../../projections/run/run-view.ts';
import { progressText } from '../../projections/wording/record-words.ts';
import { correctionText } from '../show/event-lines.ts';

/** A task or reviewer of the current attempt. */
export interface TaskRow {
  readonly state: 'working' | 'done' | 'failed' | 'again';
  /** What it said last of its progress. */
  readonly progress: string;
}

/** What a phase is asked to change, and by which: another, or its own gate. */
export interface Demand {
  readonly from: string;
  readonly text: string;
}

/** Details of one phase. */
export interface PhaseDetails {
  /** Tasks of the current attempt that have started, by name. */
  readonly tasks: ReadonlyMap<string, TaskRow>;
  /** Retries its gate has spent since the phase last had a fresh allowance. */
  readonly retries: number;
  /** Times its gate has sent back each phase. */
  readonly rewinds: ReadonlyMap<string, number>;
  /** What it was last asked to change, until it is approved. */
  readonly correction: Demand | undefined;
  /** Newer versions of phases that say the same as those that it was made from, and count as these. */
  readonly same: ReadonlyMap<string, number>;
}

/** What a person is asked about. */
export interface Waiting {
  readonly phases: ReadonlySet<string>;
  readonly limits: readonly string[];
}

/** How a run stands, for the tree. */
export interface RunFold {
  apply(record: RunRecord): void;
  readonly plan: Plan | undefined;
  /** The times of the first and the latest record, in milliseconds since 1970. In a fork the first is the one of the other run. */
  readonly startedAt: number;
  readonly lastAt: number;
  /** Times of the run up to now. @param now Milliseconds since 1970. */
  times(now: number): RunTimes;
  /** The same one until the next record. */
  snapshot(): RunSnapshot;
  /** Phases that wait for a person, and limits that hold the run until one decides. */
  waiting(): Waiting;
  details(phase: string): PhaseDetails;
}

/** A board before the first record. */
export function foldRunForTree(): RunFold {
  const view = foldRun();
  const inbox = foldInbox();
  const phases = new Map<string, Draft>();
  let plan: Plan | undefined;
  const times = foldRunTimes();
  let startedAt = 0;
  let lastAt = 0;
  let snapshot: RunSnapshot | undefined;
  let waiting: Waiting | undefined;

  function draft(name: string): Draft {
    const known = phases.get(name) ?? {
      ...NOTHING,
      tasks: new Map(),
      rewinds: new Map(),
      same: new Map(),
      again: false,
    };
    phases.set(name, known);
    return known;
  }

  return {
    apply(record) {
      view.apply(record);
      inbox.apply(record);
      times.apply(record);
      lastAt = record.time;
      snapshot = undefined;
      waiting = undefined;
      const { event, time } = record;
      if (event.type === 'run.started') {
        plan = event.plan;
        startedAt = time;
      } else if (event.type === 'run.resumed') {
        plan = event.plan ?? plan;
      } else if (event.type === 'run.reopened') {
        for (const phase of phases.values()) startOver(phase);
      } else if ('phase' in event) {
        applyTo(draft, event);
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
    details: (name) => phases.get(name) ?? NOTHING,
  };
}

// --- internal ---

type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

interface Draft {
  readonly tasks: Map<string, TaskRow>;
  readonly rewinds: Map<string, number>;
  readonly same: Map<string, number>;
  retries: number;
  correction: Demand | undefined;
  /** Whether the next start is a retry by its own gate, which keeps what was spent. */
  again: boolean;
}

const NOTHING: PhaseDetails = {
  tasks: new Map(),
  retries: 0,
  rewinds: new Map(),
  correction: undefined,
  same: new Map(),
};

function waitingIn(items: readonly InboxItem[]): Waiting {
  const limits = items.filter(({ kind }) => kind === 'limit').map(({ about }) => about);
  return { phases: new Set(items.filter(({ kind }) => kind !== 'limit').map(({ about }) => about)), limits };
}

/** What an attempt is told. Of demands that are told together the latest one says who it is from. */
function told(phase: string, by: NonNullable<EventOf<'phase.started'>['revision']>, last: Demand | undefined): Demand {
  return { from: last?.from ?? phase, text: correctionText(by) };
}

/** It begins another time, with all that its gate may spend on a start. */
function startOver(phase: Draft): void {
  phase.tasks.clear();
  phase.retries = 0;
  phase.again = false;
}

function applyTo(draft: (phase: string) => Draft, event: PhaseEvent): void {
  const phase = draft(event.phase);
  switch (event.type) {
    case 'phase.read':
    case 'task.dropped':
      return;
    case 'phase.unaffected':
      phase.same.set(event.source, event.version);
      return;
    case 'phase.started':
      phase.tasks.clear();
      phase.same.clear();
      if (!phase.again) phase.retries = 0;
      phase.again = false;
      phase.correction = event.revision && told(event.phase, event.revision, phase.correction);
      return;
    case 'phase.retrying':
      phase.retries = event.spent;
      phase.again = true;
      phase.correction = { from: event.phase, text: correctionText(event.correction) };
      return;
    case 'phase.rewinding':
      phase.rewinds.set(event.target, event.spent);
      draft(event.target).correction = { from: event.phase, text: correctionText(event.correction) };
      for (const rider of event.riders ?? []) {
        draft(rider.phase).correction = { from: event.phase, text: correctionText(rider.correction) };
      }
      return;
    case 'phase.invalidated':
      startOver(phase);
      return;
    case 'phase.approved':
      phase.tasks.clear();
      phase.correction = undefined;
      return;
    case 'phase.reflected':
      phase.tasks.clear();
      return;
    case 'task.asked':
      if (!event.reviewer) phase.tasks.set(event.task, { state: 'working', progress: 'waits for a person' });
      return;
    case 'task.answered':
      if (!event.reviewer) phase.tasks.set(event.task, { state: 'working', progress: '' });
      return;
    case 'task.started':
      phase.tasks.set(event.task, { state: 'working', progress: event.try > 1 ? `try ${event.try}` : '' });
      return;
    case 'task.reported':
      if (event.progress !== undefined && !event.reviewer) {
        phase.tasks.set(event.task, { state: 'working', progress: progressText(event.progress) });
      }
      return;
    case 'task.completed':
      phase.tasks.set(event.task, { state: 'done', progress: '' });
      return;
    case 'task.retrying':
      if (!event.reviewer) phase.tasks.set(event.task, { state: 'again', progress: event.error.message });
      return;
    case 'task.failed':
      phase.tasks.set(event.task, { state: 'failed', progress: event.error.message });
      return;
    case 'review.started':
    case 'review.waiting':
    case 'review.decided':
    case 'attempt.unchanged':
    case 'loop.detected':
    case 'phase.escalated':
    case 'phase.rejected':
    case 'phase.failed':
    case 'phase.warned':
    case 'check.baselined':
    case 'phase.stale':
    case 'phase.skipped':
    case 'phase.cancelled':
  }
}
