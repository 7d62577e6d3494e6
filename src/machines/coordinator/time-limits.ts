/**
 * Limits of time: `durationMs`, which is paused while the run waits for people alone, and `deadlineMs`.
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
  /** Notes an event, after which the run may wait for something else. */
  note(event: RunEvent): void;
  /** Starts the timers. */
  start(): void;
  /** Stops the timers. */
  stop(): void;
}

/**
 * Creates the timers of a run; `undefined` if it has no limit of time. The pipeline gets an event `spend` for a limit that is used up.
 *
 * @param times Times of a resumed run, from all its records. @default those of a new run
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
    // Without time left no try begins, whatever its estimate.
    if (left === 0) state.quota?.expire(limit, 0);
    for (const mark of tooLate) if (mark.left > left) mark.ring();
    return new Countdown(clock, now ?? (() => 0), left, [spend, ...tooLate.filter((mark) => mark.left <= left)]);
  }

  function update(): void {
    // Without a clock that tells the time, all of it counts.
    if (times.isWorking() || !now) work?.go();
    else work?.pause();
  }

  return {
    note(event) {
      times.apply({ event, time: now?.() ?? 0 });
      if (isStarted) update();
    },
    start() {
      const used = times.at(now?.());
      work = countdown('durationMs', durationMs, used.durationMs);
      deadline = countdown('deadlineMs', deadlineMs, used.elapsedMs);
      isStarted = true;
      deadline?.go();
      update();
    },
    stop() {
      isStarted = false;
      work?.pause();
      deadline?.pause();
    },
  };
}
