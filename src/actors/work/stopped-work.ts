/**
 * Work that was stopped and is not at rest yet: the next work of its phase waits a little for it.
 *
 * @module
 */
import { after } from '../../machines/phase/clock.ts';
import { ABORT_GRACE_MS, type TaskScope } from './work-scope.ts';

/** The work of a pipeline that does not heed its signal, or not at once. */
export interface StoppedWork {
  /** Calls back when earlier work of the same phase is at rest, or the grace for it is over; at once where there is none. */
  whenStopped(scope: TaskScope, go: () => void): void;
  /** Remembers work that was stopped while handlers of it were at work. */
  readonly track: (scope: TaskScope) => void;
}

/** Nothing lingers at first. */
export function createLingering(): StoppedWork {
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
        forget();
        if (stopped.get(key) === waiting) stopped.delete(key);
        for (const go of waiting.splice(0)) go();
      };
      const forget = after(scope.clock, ABORT_GRACE_MS, () => {
        scope.giveUp();
        rest();
      });
      stopped.set(key, waiting);
      scope.onRest = rest;
    },
  };
}
