/**
 * Details of one phase that a result leaves out: its tasks, the allowance of its gate, and the latest demand on it.
 *
 * @module
 */
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { WORKSPACE_NOTE } from '../../model/events/warning-codes.ts';
import { progressText } from '../../projections/wording/record-words.ts';
import { standingWords } from '../../projections/wording/standing-words.ts';
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
  /** Facts about the repository or the plan that people should know. */
  readonly notes: readonly string[];
}

/** An event of a phase. */
export type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

/** Details that change. */
export interface DetailsDraft {
  readonly tasks: Map<string, TaskRow>;
  readonly rewinds: Map<string, number>;
  readonly same: Map<string, number>;
  readonly notes: string[];
  retries: number;
  correction: Demand | undefined;
  /** True if the next start is a retry by the phase's own gate, which keeps the count of retries. */
  again: boolean;
}

/** The details of a phase before its first event. */
export const NO_DETAILS: PhaseDetails = {
  tasks: new Map(),
  retries: 0,
  rewinds: new Map(),
  correction: undefined,
  same: new Map(),
  notes: [],
};

/** Creates details to change. */
export function draftDetails(): DetailsDraft {
  return { ...NO_DETAILS, tasks: new Map(), rewinds: new Map(), same: new Map(), notes: [], again: false };
}

/** Resets a phase that will start again with the full allowance of its gate. */
export function startOver(phase: DetailsDraft): void {
  phase.tasks.clear();
  phase.retries = 0;
  phase.again = false;
}

/** Applies an event to the details of its phase, and of the phases that it sends back. @param draft Returns the details of a phase. */
export function applyToDetails(draft: (phase: string) => DetailsDraft, event: PhaseEvent): void {
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
    case 'phase.warned':
      if (event.code === WORKSPACE_NOTE) phase.notes.push(event.message);
      return;
    case 'task.asked':
      if (!event.reviewer) phase.tasks.set(event.task, { state: 'working', progress: standingWords.waiting });
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
    case 'check.baselined':
    case 'phase.stale':
    case 'phase.skipped':
    case 'phase.cancelled':
  }
}

// --- internal ---

/** Creates the demand on an attempt. If several demands are joined, the latest one names the sender. */
function demandOf(
  phase: string,
  revision: NonNullable<EventOf<'phase.started'>['revision']>,
  last: Demand | undefined,
): Demand {
  return { from: last?.from ?? phase, text: correctionText(revision) };
}
