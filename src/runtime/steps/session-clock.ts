/**
 * The clock of the system, for a session of work.
 *
 * @module
 */
import type { Clock } from '../../machines/phase/clock.ts';

/** Creates the clock. */
export function systemClock(): Clock & { now(): number } {
  const timers = new Map<unknown, ReturnType<typeof setTimeout>>();
  return {
    now: () => Date.now(),
    setTimeout(run, ms) {
      const id = Symbol('timer');
      const fire = () => {
        timers.delete(id);
        run();
      };
      timers.set(id, setTimeout(fire, ms));
      return id;
    },
    clearTimeout(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
    },
  };
}
