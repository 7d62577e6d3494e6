/**
 * Effort of phases by purpose: work, or its appraisal by checks and reviewers.
 *
 * @module
 */
import { endsAttempt } from '../../model/events/attempt-end.ts';
import type { RunRecord } from '../../model/events/event.ts';

/** The cost of something. */
export interface Effort {
  /** US dollars, as far as reported. */
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds; times of phases that work at the same time are added up. */
  readonly ms: number;
}

/** An effort that grows. */
export type GrowingEffort = { -readonly [K in keyof Effort]: Effort[K] };

/** The purpose of an effort. */
export type EffortKind = 'work' | 'appraisal';

/** Makes an effort of zero. */
export function noEffort(): GrowingEffort {
  return { costUsd: 0, tokens: 0, ms: 0 };
}

/** Adds a part of an effort to another. @param share @default 1 */
export function addEffort(sum: GrowingEffort, { costUsd, tokens, ms }: Effort, share = 1): void {
  sum.costUsd += costUsd * share;
  sum.tokens += tokens * share;
  sum.ms += ms * share;
}

/** An effort of a phase. */
export interface Spent {
  readonly phase: string;
  readonly kind: EffortKind;
  readonly effort: Effort;
}

/** A fold over records that reports every effort as it ends. */
export interface EffortFold {
  apply(record: RunRecord): void;
  /** Returns efforts still in progress, up to the latest record. They are reported when they end. */
  underWay(): readonly Spent[];
}

/**
 * Starts a fold before the first record.
 *
 * From the start of an attempt to its review, time is work; from there to the verdict it is appraisal. The time of baseline checks
 * before the tasks is appraisal, too. Waiting for a place, for another phase, or for a person's decision on a phase is neither. Time
 * without a process does not count.
 */
export function foldEffort(spend: (spent: Spent) => void): EffortFold {
  const clocks = new Map<string, Clock>();
  let now = 0;

  function spentBy(phase: string, { since, kind }: Clock): Spent {
    return { phase, kind, effort: { costUsd: 0, tokens: 0, ms: Math.max(0, now - since) } };
  }

  function stop(phase: string): void {
    const clock = clocks.get(phase);
    if (!clock) return;
    spend(spentBy(phase, clock));
    clocks.delete(phase);
  }

  /** Skips the time without a process for efforts in progress. */
  function resume(time: number): void {
    for (const [phase, clock] of clocks) {
      spend(spentBy(phase, clock));
      clock.since = time;
    }
  }

  function start(phase: string, kind: EffortKind): void {
    stop(phase);
    clocks.set(phase, { since: now, kind });
  }

  function baselined(phase: string): void {
    const clock = clocks.get(phase);
    if (!clock) return;
    spend(spentBy(phase, { since: clock.since, kind: 'appraisal' }));
    clock.since = now;
  }

  return {
    underWay: () => [...clocks].map(([phase, clock]) => spentBy(phase, clock)),
    apply({ event, time }) {
      if (event.type === 'run.resumed') resume(time);
      now = time;
      if (event.type === 'run.ended') for (const phase of clocks.keys()) stop(phase);
      if (!('phase' in event)) return;
      const { phase } = event;
      if (event.type === 'task.reported') {
        const { costUsd = 0, tokens = 0, reviewer } = event;
        const effort = { costUsd, tokens, ms: 0 };
        if (costUsd > 0 || tokens > 0) spend({ phase, kind: reviewer ? 'appraisal' : 'work', effort });
      } else if (event.type === 'phase.started') start(phase, 'work');
      else if (event.type === 'review.started') start(phase, 'appraisal');
      else if (event.type === 'check.baselined') baselined(phase);
      else if (event.type === 'review.decided' || endsAttempt(event)) stop(phase);
    },
  };
}

// --- internal ---

/** The effort in progress in a phase. */
interface Clock {
  since: number;
  readonly kind: EffortKind;
}
