/**
 * The fold from records to the live tree: the snapshot of the run, and details that a result leaves out.
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
  /** The latest progress that it reported. */
  readonly progress: string;
}

/** A demand on a phase, from its own gate or from another phase. */
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
  /** The latest demand on the phase, until it is approved. */
  readonly correction: Demand | undefined;
  /** Newer versions of upstream phases whose outputs have not changed for this phase, by name. */
  readonly same: ReadonlyMap<string, number>;
}

/** The phases and limits that wait for a person. */
export interface Waiting {
  readonly phases: ReadonlySet<string>;
  readonly limits: readonly string[];
}

/** The state of a run for the tree. */
export interface RunFold {
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
  details(phase: string): PhaseDetails;
}

/** Creates the fold, before the first record. */
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
  /** True if the next start is a retry by the phase's own gate, which keeps the count of retries. */
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

/** Creates the demand on an attempt. If several demands are joined, the latest one names the sender. */
function demandOf(
  phase: string,
  revision: NonNullable<EventOf<'phase.started'>['revision']>,
  last: Demand | undefined,
): Demand {
  return { from: last?.from ?? phase, text: correctionText(revision) };
}

/** Resets a phase that will start again with the full allowance of its gate. */
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
      phase.correction = event.revision && demandOf(event.phase, event.revision, phase.correction);
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
