/**
 * What phases take, told apart by what it is for: work, or its appraisal by checks and reviewers.
 *
 * @module
 */
import { endsAttempt } from '../../model/events/attempt-end.ts';
import type { RunRecord } from '../../model/events/event.ts';

/** What something took. */
export interface Effort {
  /** US dollars, as far as reported. */
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds; those of phases that work at the same time are added up. */
  readonly ms: number;
}

/** An effort that grows. */
export type GrowingEffort = { -readonly [K in keyof Effort]: Effort[K] };

/** What an effort is for. */
export type EffortKind = 'work' | 'appraisal';

/** No effort yet. */
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

/** A fold over records that tells of every effort as it is made. */
export interface EffortFold {
  apply(record: RunRecord): void;
  /** What is under way, as far as the latest record; it is told of when it ends. */
  underWay(): readonly Spent[];
}

/**
 * Begins before the first record.
 *
 * Time is that from the start of an attempt to its review, which is work, and from there to the verdict, which is appraisal;
 * so is the time in which checks are run before the tasks. Waiting for a place, for another phase, or for a person who was
 * asked to decide on a phase, is neither, and no time passes while no process has the run.
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

  /** What was under way has stood still since. */
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

/** What is under way in a phase. */
interface Clock {
  since: number;
  readonly kind: EffortKind;
}
