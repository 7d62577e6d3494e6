/**
 * The clock of one step: its time stands still, and it keeps timers that are not due.
 *
 * @module
 */
import type { Clock } from '../../machines/phase/clock.ts';

/** The clock of a step. */
export interface StepClock extends Clock {
  now(): number;
  /** The time of the next timer in milliseconds since 1970; `undefined` without timers. */
  dueAt(): number | undefined;
  /** Fires the timers that are due. @returns False if there was none. */
  fireDue(): boolean;
}

/** Creates the clock of a step. @param time Milliseconds since 1970. */
export function createStepClock(time: number): StepClock {
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  let last = 0;
  return {
    now: () => time,
    setTimeout(run, ms) {
      last += 1;
      timers.set(last, { at: time + Math.max(0, ms), run });
      return last;
    },
    clearTimeout(timer) {
      if (typeof timer === 'number') timers.delete(timer);
    },
    dueAt() {
      const times = [...timers.values()].map(({ at }) => at);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    fireDue() {
      const due = [...timers].filter(([, { at }]) => at <= time);
      for (const [timer, { run }] of due) if (timers.delete(timer)) run();
      return due.length > 0;
    },
  };
}
