/**
 * The actor that lives as long as its run: it keeps the deadline, and refuses to be restored.
 *
 * @module
 */
import type { AnyActorRef, TransitionActorLogic } from 'xstate';
import { disband, notRestorable } from './boards.ts';
import { tillOf } from './till.ts';
import { after, clockOf } from './actor.ts';

/** Input of the lifeline: milliseconds until the deadline; `undefined` for none. */
export interface LifelineInput {
  readonly durationMs: number | undefined;
  /** Milliseconds that tries need; each is told to the till when there is no time left for it. @default none */
  readonly times?: readonly number[] | undefined;
}

/** What the lifeline knows. */
export interface LifelineContext extends LifelineInput {
  /** True in a snapshot that was stored. */
  readonly stored: boolean;
}

/** What the lifeline tells itself. */
export type LifelineEvent =
  { readonly type: 'spent' } | { readonly type: 'restored' } | { readonly type: 'xstate.stop' };

/**
 * Watches over one run.
 *
 * A snapshot of the pipeline machine has neither the phases at work nor the ledger in it, so a run cannot go on from it.
 * XState would restore it all the same and wait for ever; this actor makes that an error, whoever restores it.
 */
export const lifelineLogic: TransitionActorLogic<LifelineContext, LifelineEvent, LifelineInput> = {
  getInitialSnapshot: (_, { durationMs, times }) => ({ ...ALIVE, context: { durationMs, times, stored: false } }),
  getPersistedSnapshot: (snapshot) => ({ ...snapshot, context: { ...snapshot.context, stored: true } }),
  restoreSnapshot: (snapshot) => snapshot as ReturnType<typeof lifelineLogic.transition>,
  start({ context }, { self }) {
    if (context.stored) self.send({ type: 'restored' });
    else if (context.durationMs !== undefined) {
      const { durationMs, times = [] } = context;
      const tell = (ms: number) => tillOf(self._parent)?.tooLate(ms);
      const set = [after(clockOf(self), durationMs, () => self.send({ type: 'spent' }))];
      for (const ms of times) {
        // The pipeline opens its till when its children have started, and no try asks sooner than a turn later.
        if (ms > durationMs) queueMicrotask(() => tell(ms));
        else set.push(after(clockOf(self), durationMs - ms, () => tell(ms)));
      }
      alarms.set(self, () => set.forEach((forget) => forget()));
    }
  },
  transition({ context, ...snapshot }, event, { self }) {
    switch (event.type) {
      case 'spent':
        return { ...ALIVE, status: 'done', context };
      case 'restored':
        return { ...ALIVE, status: 'error', error: notRestorable(), context };
      case 'xstate.stop':
        alarms.get(self)?.();
        // Phases are no children in XState's sense, so an application that stops the pipeline stops them by this.
        if (self._parent) disband(self._parent);
        return { ...ALIVE, status: 'stopped', context };
      default:
        return { ...snapshot, context };
    }
  },
};

// --- internal ---

const ALIVE = { status: 'active', output: undefined, error: undefined } as const;

/** How to call off the deadline of each run that has one. */
const alarms = new WeakMap<AnyActorRef, () => void>();
