/**
 * The fold from records to a timeline: bars over time, for terminals and browsers alike.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import { createBars, type Bars, type TimelineBar } from './timeline-bars.ts';

export type { TimelineBar, TimelineKind, TimelineOutcome } from './timeline-bars.ts';

/** A rewind: a phase has sent back another. */
export interface TimelineArrow {
  readonly from: string;
  readonly to: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly seq: number;
}

/** A time in which a limit held the whole run for a person. */
export interface TimelineHold {
  readonly limit: LimitName;
  readonly from: number;
  readonly to: number | null;
  readonly seq: number;
}

/** The activities of the phases of a run over time. */
export interface Timeline {
  /** The times of the first and the latest record; milliseconds since 1970, 0 if there are none. */
  readonly from: number;
  readonly to: number;
  /** Bars in the order in which they began. */
  readonly bars: readonly TimelineBar[];
  readonly arrows: readonly TimelineArrow[];
  readonly holds: readonly TimelineHold[];
}

/**
 * Starts a fold from the records of one run to its timeline. Each record takes constant time, except records of the whole run. Bars
 * that have not changed are the same objects in the next timeline.
 */
export function foldTimeline(): { apply(record: RunRecord): void; timeline(): Timeline } {
  const bars = createBars();
  const arrows: TimelineArrow[] = [];
  const holds: TimelineHold[] = [];
  let from: number | undefined;
  let to = 0;
  let made: Timeline | undefined;

  function endHolds(time: number, limit?: LimitName): void {
    holds.forEach((hold, at) => {
      if (hold.to === null && (limit === undefined || hold.limit === limit)) holds[at] = { ...hold, to: time };
    });
  }

  function applyToRun({ seq, time, event }: RunRecord): void {
    if (event.type === 'run.resumed') bars.interrupt(to, { seq, time });
    else if (event.type === 'limit.lifted') endHolds(time, event.limit);
    else if (event.type === 'limit.reached' && event.holds === null) {
      holds.push({ limit: event.limit, from: time, to: null, seq });
    } else if (event.type === 'run.ended') {
      bars.endAll(time, 'cancelled');
      endHolds(time);
    } else if (event.type === 'phase.rewinding') {
      arrows.push({ from: event.phase, to: event.target, time, seq });
    }
  }

  return {
    apply(record) {
      const { time, event } = record;
      if ('phase' in event) applyToPhase(bars, event, record);
      applyToRun(record);
      from ??= time;
      to = time;
      made = undefined;
    },
    timeline: () => (made ??= { from: from ?? 0, to, bars: bars.list(to), arrows: [...arrows], holds: [...holds] }),
  };
}

// --- internal ---

type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

function applyToPhase(bars: Bars, event: PhaseEvent, { seq, time }: RunRecord): void {
  const { phase } = event;
  switch (event.type) {
    case 'phase.started':
      bars.end(phase, time, 'started');
      bars.attempt(event);
      bars.begin({ phase, kind: 'work', seq, time });
      return;
    case 'review.started':
      bars.end(phase, time, event.asked > 1 ? 'again' : 'done');
      bars.begin({ phase, kind: 'review', seq, time });
      return;
    case 'phase.retrying':
      bars.end(phase, time, 'retry');
      bars.begin({ phase, kind: 'waiting', seq, time });
      return;
    case 'phase.rewinding':
      bars.end(phase, time, 'rewind');
      for (const one of [phase, event.target, ...(event.riders ?? []).map((rider) => rider.phase)]) {
        if (!bars.isOpen(one)) bars.begin({ phase: one, kind: 'waiting', seq, time });
      }
      return;
    case 'phase.escalated':
      bars.end(phase, time, 'escalated');
      bars.begin({ phase, kind: 'person', seq, time });
      return;
    case 'phase.invalidated':
      bars.end(phase, time, 'invalidated');
      bars.begin({ phase, kind: 'waiting', seq, time });
      return;
    case 'phase.approved':
    case 'phase.rejected':
    case 'phase.failed':
    case 'phase.skipped':
    case 'phase.cancelled':
    case 'phase.stale':
      bars.end(phase, time, ENDS[event.type]);
      return;
    case 'task.asked':
      bars.endWait(event, time, 'again');
      bars.beginWait(event, { kind: 'person', seq, time });
      return;
    case 'task.answered':
      bars.endWait(event, time, 'answered');
      return;
    case 'task.retrying':
      bars.endWait(event, time, 'again');
      bars.beginWait(event, { kind: 'backoff', seq, time }, time + event.delayMs);
      return;
    case 'task.started':
      // After a resume, a task starts again and still waits for the person that it has asked.
      bars.endWait(event, time, 'again', 'backoff');
      return;
    case 'task.failed':
      bars.endWait(event, time, 'failed');
      return;
    case 'task.completed':
    case 'task.dropped':
    case 'task.reported':
    case 'review.decided':
    case 'review.waiting':
    case 'phase.read':
    case 'phase.unaffected':
    case 'phase.reflected':
    case 'phase.warned':
    case 'check.baselined':
    case 'attempt.unchanged':
    case 'loop.detected':
  }
}

const ENDS = {
  'phase.approved': 'approved',
  'phase.rejected': 'rejected',
  'phase.failed': 'failed',
  'phase.skipped': 'skipped',
  'phase.cancelled': 'cancelled',
  'phase.stale': 'kept',
} as const;
