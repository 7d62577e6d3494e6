/**
 * Stopped work whose handlers are still running: the next work of its phase waits for them for a short time.
 *
 * @module
 */
import { after } from '../../machines/phase/clock.ts';
import { ABORT_GRACE_MS, type TaskScope } from './work-scope.ts';

/** Work of a pipeline that reacts late to its signal, or never. */
export interface StoppedWork {
  /** Calls back when stopped work of the same phase has ended, or its grace period is over; at once if there is none. */
  whenStopped(scope: TaskScope, go: () => void): void;
  /** Registers work that was stopped while its handlers were running. */
  readonly track: (scope: TaskScope) => void;
}

/** Creates an empty registry. */
export function createStoppedWork(): StoppedWork {
  const stopped = new Map<string, (() => void)[]>();
  const keyOf = ({ input: { origin } }: TaskScope) => `${origin.run}\n${origin.phase.name}`;
  return {
    whenStopped(scope, go) {
      const waiting = stopped.size === 0 ? undefined : stopped.get(keyOf(scope));
      if (waiting) waiting.push(() => scope.guard(go));
      else go();
    },
    track(scope) {
      const key = keyOf(scope);
      const waiting: (() => void)[] = [];
      const rest = () => {
        clearTimer();
        if (stopped.get(key) === waiting) stopped.delete(key);
        for (const go of waiting.splice(0)) go();
      };
      const clearTimer = after(scope.clock, ABORT_GRACE_MS, () => {
        scope.giveUp();
        rest();
      });
      stopped.set(key, waiting);
      scope.onRest = rest;
    },
  };
}
