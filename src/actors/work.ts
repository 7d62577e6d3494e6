/**
 * Asynchronous work as actor logic.
 *
 * @module
 */
import type { AnyActorRef, PromiseActorLogic, Snapshot } from 'xstate';
import { isActive } from '../machines/actor.ts';
import { hold, mustHold } from '../machines/hold.ts';
import type { Progress } from '../machines/ports.ts';

/** What a piece of work is given. */
export interface WorkScope<I> {
  readonly input: I;
  readonly self: AnyActorRef;
  /** How far it had come when an earlier process was left; `undefined` where it begins. */
  readonly progress: Progress | undefined;
  /** Aborted when the actor is stopped. Made when it is first asked for, as most work never does. */
  signal(): AbortSignal;
  /** True once nobody waits for the result. */
  isStopped(): boolean;
  /** Calls back when the actor is stopped before its work has ended. Returns a function that prevents it. */
  readonly onStop: (run: () => void) => () => void;
}

/**
 * Like XState's `fromPromise`, but without an `AbortController` that nobody asked for.
 *
 * @param run Does the work. A rejection is the actor's error.
 */
export function fromWork<O, I>(run: (scope: WorkScope<I>) => Promise<O>): PromiseActorLogic<O, I> {
  return {
    getInitialSnapshot: (_, input) => working<O, I>(input),
    getPersistedSnapshot: ({ status, output, error, input }: WorkSnapshot<O, I>) =>
      ({ status, output, error, input }) as Snapshot<O>,
    restoreSnapshot: (stored) => Object.assign(stored as WorkSnapshot<O, I>, { stops: new Set<() => void>() }),
    start(snapshot: WorkSnapshot<O, I>, { self }) {
      if (snapshot.status !== 'active') return;
      const tell = (type: string, value: unknown) => {
        if (isActive(self)) self.send({ type, value });
      };
      // A turn later: whoever starts the actor finishes first, and says so before the work says anything.
      const begin = (progress?: Progress) =>
        void Promise.resolve(scopeOf(snapshot, self, progress))
          .then(run)
          .then(
            (value) => tell(RESOLVED, value),
            (value: unknown) => tell(REJECTED, value),
          );
      if (mustHold(self)) hold(self, { begin, end: (outcome) => tell(RESOLVED, outcome) });
      else begin();
    },
    transition(snapshot: WorkSnapshot<O, I>, event) {
      if (snapshot.status !== 'active') return snapshot;
      switch (event.type) {
        case RESOLVED:
          return { status: 'done', output: event['value'] as O, error: undefined, input: undefined };
        case REJECTED:
          return { status: 'error', output: undefined, error: event['value'], input: undefined };
        case 'xstate.stop':
          for (const stop of snapshot.stops ?? []) stop();
          return { status: 'stopped', output: undefined, error: undefined, input: undefined };
        default:
          return snapshot;
      }
    },
  };
}

// --- internal ---

const RESOLVED = 'work.resolved';
const REJECTED = 'work.rejected';

/** What has to be called when the actor is stopped is kept in its snapshot: a map by actor would cost more than the work. */
type WorkSnapshot<O, I> = Snapshot<O> & { input: I | undefined; readonly stops?: Set<() => void> };

function working<O, I>(input: I): WorkSnapshot<O, I> {
  return { status: 'active', output: undefined, error: undefined, input, stops: new Set() };
}

function scopeOf<O, I>(
  { input, stops = new Set() }: WorkSnapshot<O, I>,
  self: AnyActorRef,
  progress: Progress | undefined,
): WorkScope<I> {
  let controller: AbortController | undefined;
  const isStopped = () => !isActive(self);
  const onStop = (stop: () => void) => {
    stops.add(stop);
    return () => stops.delete(stop);
  };
  return {
    input: input as I,
    self,
    progress,
    isStopped,
    onStop,
    signal() {
      if (controller) return controller.signal;
      const made = new AbortController();
      controller = made;
      if (isStopped()) made.abort();
      else onStop(() => made.abort());
      return made.signal;
    },
  };
}
