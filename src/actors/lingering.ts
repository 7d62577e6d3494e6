/**
 * Work that was stopped and is not at rest yet: the next work of its phase waits a little for it.
 *
 * @module
 */
import { clockOf } from '../machines/actor.ts';
import type { PhaseContext } from '../machines/phase-context.ts';
import { comeToRest } from './try.ts';
import type { WorkScope } from './work.ts';

/** The work of a pipeline that does not heed its signal, or not at once. */
export interface Lingering {
  /** Resolves when earlier work of the same phase is at rest, or the grace for it is over. */
  rest(scope: WorkScope<PhaseContext>): Promise<void> | undefined;
  /** Hands work on, and remembers it where it is stopped before it has ended. */
  watch<O>(scope: WorkScope<PhaseContext>, work: Promise<O>): Promise<O>;
}

/** Nothing lingers at first. */
export function createLingering(): Lingering {
  const stopped = new Map<string, Promise<void>>();
  const keyOf = ({ input: { origin } }: WorkScope<PhaseContext>) => `${origin.run}\n${origin.phase.name}`;
  return {
    rest: (scope) => (stopped.size === 0 ? undefined : stopped.get(keyOf(scope))),
    watch(scope, work) {
      scope.onStop(() => {
        const key = keyOf(scope);
        const rest = comeToRest(work, clockOf(scope.self)).then(() => {
          if (stopped.get(key) === rest) stopped.delete(key);
        });
        stopped.set(key, rest);
      });
      return work;
    },
  };
}
