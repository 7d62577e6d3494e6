/**
 * Asynchronous work: as actor logic, and without an actor for a phase that runs it directly.
 *
 * @module
 */
import type { AnyActorRef, PromiseActorLogic, Snapshot } from 'xstate';
import { clockOf, isActive } from '../../machines/phase/clock.ts';
import type { InlineWork, Progress, WorkOwner } from '../../machines/phase/ports.ts';
import { deferredOf, reportWork, servicesOf } from '../../machines/phase/run-services.ts';
import { WorkScope } from './work-scope.ts';

/** Work that can run as an actor or without one. */
export type WorkLogic<O, I> = PromiseActorLogic<O, I> & InlineWork<O, I>;

/**
 * Like XState's `fromPromise`, but with calls instead of promises, and with an `AbortController` only on demand.
 *
 * @param run Does the work, and reports the end to its scope. An error that it throws is the error of the work.
 * @param onStop Called if work is stopped while its handlers are running.
 */
export function fromWork<O, I>(
  run: (scope: WorkScope<I, O>) => void,
  onStop?: (scope: WorkScope<I, O>) => void,
): WorkLogic<O, I> {
  function go(scope: WorkScope<I, O>): void {
    if (scope.isStopped) return;
    try {
      run(scope);
    } catch (error) {
      scope.failed(error);
    }
  }
  function begin(input: I, owner: WorkOwner<O>, progress?: Progress): WorkScope<I, O> {
    const scope = new WorkScope(input, owner, progress, onStop);
    // The work begins in a later microtask, so that its owner finishes and reports first.
    void Promise.resolve(scope).then(go);
    return scope;
  }
  return {
    begin,
    getInitialSnapshot: (_, input) => working<O, I>(input),
    getPersistedSnapshot: ({ status, output, error, input }: WorkSnapshot<O, I>) =>
      ({ status, output, error, input }) as Snapshot<O>,
    restoreSnapshot: (stored) => Object.assign(stored as WorkSnapshot<O, I>, { atWork: {} }),
    start({ status, input, atWork = {} }: WorkSnapshot<O, I>, { self }) {
      if (status !== 'active') return;
      const owner = ownerOf<O>(self);
      const start = (progress?: Progress) => void (atWork.scope = begin(input as I, owner, progress));
      const phase = self._parent;
      const deferred = phase && deferredOf(phase);
      if (deferred) deferred.set(phase, { begin: start, end: (outcome) => owner.done(outcome as O) });
      else start();
    },
    transition(snapshot: WorkSnapshot<O, I>, event) {
      if (snapshot.status !== 'active') return snapshot;
      switch (event.type) {
        case RESOLVED:
          return { status: 'done', output: event['value'] as O, error: undefined, input: undefined };
        case REJECTED:
          return { status: 'error', output: undefined, error: event['value'], input: undefined };
        case 'xstate.stop':
          snapshot.atWork?.scope?.stop();
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

/** The scope is stored in the snapshot of its actor, as a map by actor would cost more than the work. */
type WorkSnapshot<O, I> = Snapshot<O> & {
  input: I | undefined;
  readonly atWork?: { scope?: { stop(): void } };
};

function working<O, I>(input: I): WorkSnapshot<O, I> {
  return { status: 'active', output: undefined, error: undefined, input, atWork: {} };
}

/** The owner for work that runs as an actor: results become events of that actor. */
function ownerOf<O>(self: AnyActorRef): WorkOwner<O> {
  const send = (type: string, value: unknown) => {
    if (isActive(self)) self.send({ type, value });
  };
  const services = servicesOf(self._parent?._parent);
  return {
    clock: clockOf(self),
    quota: services?.quota,
    stragglers: services?.stragglers,
    report: (fact) => reportWork(self, fact),
    done: (output) => send(RESOLVED, output),
    failed: (error) => send(REJECTED, error),
  };
}
