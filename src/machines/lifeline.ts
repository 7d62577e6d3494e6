/**
 * The actor that lives as long as its run: it keeps the deadline, and refuses to be restored.
 *
 * @module
 */
import type { AnyActorRef, TransitionActorLogic } from 'xstate';
import { disband, notRestorable } from './boards.ts';
import { after, clockOf, statusOf } from './actor.ts';

/** Input of the lifeline: milliseconds until the deadline; `undefined` for none. */
export interface LifelineInput {
  readonly durationMs: number | undefined;
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
  getInitialSnapshot: (_, { durationMs }) => ({ ...ALIVE, context: { durationMs, stored: false } }),
  getPersistedSnapshot: (snapshot) => ({ ...snapshot, context: { ...snapshot.context, stored: true } }),
  restoreSnapshot: (snapshot) => snapshot as ReturnType<typeof lifelineLogic.transition>,
  start({ context }, { self }) {
    if (context.stored) self.send({ type: 'restored' });
    else watch(self, context.durationMs);
  },
  transition({ context, ...snapshot }, event) {
    if (event.type === 'spent') return { ...ALIVE, status: 'done', context };
    if (event.type === 'restored') return { ...ALIVE, status: 'error', error: notRestorable(), context };
    if (event.type === 'xstate.stop') return { ...ALIVE, status: 'stopped', context };
    return { ...snapshot, context };
  },
};

// --- internal ---

const ALIVE = { status: 'active', output: undefined, error: undefined } as const;

function watch(self: AnyActorRef, durationMs: number | undefined): void {
  const forget =
    durationMs === undefined ? undefined : after(clockOf(self), durationMs, () => self.send({ type: 'spent' }));
  // Phases are no children in XState's sense, so an application that stops the pipeline stops them by this.
  self.subscribe({
    complete() {
      forget?.();
      if (self._parent && statusOf(self) === 'stopped') disband(self._parent);
    },
  });
}
