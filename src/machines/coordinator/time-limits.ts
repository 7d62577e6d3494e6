/**
 * The limits of a run that time spends: `durationMs`, which stands still while only people are waited for, and `deadlineMs`.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { RunEvent } from '../../model/events/event.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import type { TimeLimit } from '../../model/plan/policy-schema.ts';
import { clockOf, isActive, timeOf } from '../phase/clock.ts';
import { Countdown, type Mark } from './countdown.ts';
import { timesOf } from './quota.ts';
import type { RunState } from './run-state.ts';

/** The timers of one run. */
export interface TimeLimits {
  /** Something was said: what is waited for may be another. */
  note(event: RunEvent): void;
  /** Has the timers go. */
  start(): void;
  /** Calls the timers off. */
  stop(): void;
}

/**
 * The timers of a run; `undefined` if time spends none of its limits. A limit that is spent is told to the pipeline as `spend`.
 *
 * @param times Told all records of a run that goes on. @default those of a new run
 */
export function createTimeLimits(
  pipeline: AnyActorRef,
  state: RunState,
  times: RunTimesFold = foldRunTimes(),
): TimeLimits | undefined {
  const { durationMs, deadlineMs } = state.plan.limits;
  if (durationMs === undefined && deadlineMs === undefined) return undefined;
  const clock = clockOf(pipeline);
  const now = timeOf(pipeline);
  let work: Countdown | undefined;
  let deadline: Countdown | undefined;
  let isStarted = false;

  function countdown(limit: TimeLimit, max: number | undefined, used: number): Countdown | undefined {
    if (max === undefined) return undefined;
    const spend = { left: 0, ring: () => isActive(pipeline) && pipeline.send({ type: 'spend', limit }) };
    const tooLate = timesOf(state.plan).map((ms): Mark => ({ left: ms, ring: () => state.quota?.expire(limit, ms) }));
    const left = Math.max(0, max - used);
    // Where nothing is left no try begins, whatever it says that it needs.
    if (left === 0) state.quota?.expire(limit, 0);
    for (const mark of tooLate) if (mark.left > left) mark.ring();
    return new Countdown(clock, now ?? (() => 0), left, [spend, ...tooLate.filter((mark) => mark.left <= left)]);
  }

  function heed(): void {
    // Where nothing tells the time, all of it counts.
    if (times.isWorking() || !now) work?.go();
    else work?.pause();
  }

  return {
    note(event) {
      times.apply({ event, time: now?.() ?? 0 });
      if (isStarted) heed();
    },
    start() {
      const used = times.at(now?.());
      work = countdown('durationMs', durationMs, used.durationMs);
      deadline = countdown('deadlineMs', deadlineMs, used.elapsedMs);
      isStarted = true;
      deadline?.go();
      heed();
    },
    stop() {
      isStarted = false;
      work?.pause();
      deadline?.pause();
    },
  };
}
