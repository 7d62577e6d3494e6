/**
 * The fold from records to what the live tree shows: how the run stands, and the details that a result leaves out.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/event.ts';
import type { Plan } from '../../model/plan.ts';
import type { RunSnapshot } from '../../model/result.ts';
import { createRunView } from '../../model/view.ts';
import { correctionText, progressText } from './event-lines.ts';

/** A task or reviewer of the current attempt. */
export interface TaskRow {
  readonly state: 'working' | 'done' | 'failed' | 'again';
  /** What it said last of its progress. */
  readonly progress: string;
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
  readonly correction: { readonly from: string; readonly text: string } | undefined;
}

/** How a run stands, for the tree. */
export interface Board {
  apply(record: RunRecord): void;
  readonly plan: Plan | undefined;
  readonly startedAt: number;
  snapshot(): RunSnapshot;
  details(phase: string): PhaseDetails;
}

/** A board before the first record. */
export function createBoard(): Board {
  const view = createRunView();
  const phases = new Map<string, Draft>();
  let plan: Plan | undefined;
  let startedAt = 0;

  function draft(name: string): Draft {
    const known = phases.get(name) ?? { ...NOTHING, tasks: new Map(), rewinds: new Map(), again: false };
    phases.set(name, known);
    return known;
  }

  return {
    apply(record) {
      view.apply(record);
      const { event, time } = record;
      if (event.type === 'run.started') {
        plan = event.plan;
        startedAt = time;
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
    snapshot: () => view.snapshot(),
    details: (name) => phases.get(name) ?? NOTHING,
  };
}

// --- internal ---

type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

interface Draft {
  readonly tasks: Map<string, TaskRow>;
  readonly rewinds: Map<string, number>;
  retries: number;
  correction: PhaseDetails['correction'];
  /** Whether the next start is a retry by its own gate, which keeps what was spent. */
  again: boolean;
}

const NOTHING: PhaseDetails = { tasks: new Map(), retries: 0, rewinds: new Map(), correction: undefined };

function applyTo(draft: (phase: string) => Draft, event: PhaseEvent): void {
  const phase = draft(event.phase);
  switch (event.type) {
    case 'phase.read':
      return;
    case 'phase.started':
      phase.tasks.clear();
      if (!phase.again) phase.retries = 0;
      phase.again = false;
      if (!event.revision) phase.correction = undefined;
      return;
    case 'phase.retrying':
      phase.retries = event.spent;
      phase.again = true;
      phase.correction = { from: event.phase, text: correctionText(event.correction) };
      return;
    case 'phase.rewinding':
      phase.rewinds.set(event.target, event.spent);
      draft(event.target).correction = { from: event.phase, text: correctionText(event.correction) };
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
    case 'review.decided':
    case 'loop.detected':
    case 'phase.escalated':
    case 'phase.rejected':
    case 'phase.failed':
    case 'phase.warned':
    case 'check.baselined':
    case 'phase.stale':
    case 'phase.invalidated':
    case 'phase.skipped':
    case 'phase.cancelled':
  }
}
