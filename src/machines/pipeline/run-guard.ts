/**
 * The actor that lives as long as its run: it refuses to be restored, and stops the phases with their run.
 *
 * @module
 */
import type { TransitionActorLogic } from 'xstate';
import { notRestorable, stopPhases } from './run-state-registry.ts';

/** What the guard knows. */
export interface RunGuardContext {
  /** True in a snapshot that was stored. */
  readonly stored: boolean;
}

/** What the guard tells itself. */
export type RunGuardEvent = { readonly type: 'restored' } | { readonly type: 'xstate.stop' };

/** Watches over runs. */
export interface RunGuard extends TransitionActorLogic<RunGuardContext, RunGuardEvent, undefined> {
  /** Milliseconds since 1970, where the clock of the system does not tell. */
  readonly now?: (() => number) | undefined;
}

/**
 * Watches over one run.
 *
 * A snapshot of the pipeline machine has neither the phases at work nor the ledger in it, so a run cannot go on from it.
 * XState would restore it all the same and wait for ever; this actor makes that an error, whoever restores it.
 */
export const runGuardLogic: RunGuard = {
  getInitialSnapshot: () => ({ ...ALIVE, context: { stored: false } }),
  getPersistedSnapshot: (snapshot) => ({ ...snapshot, context: { stored: true } }),
  restoreSnapshot: (snapshot) => snapshot as ReturnType<typeof runGuardLogic.transition>,
  start({ context }, { self }) {
    if (context.stored) self.send({ type: 'restored' });
  },
  transition({ context, ...snapshot }, event, { self }) {
    switch (event.type) {
      case 'restored':
        return { ...ALIVE, status: 'error', error: notRestorable(), context };
      case 'xstate.stop':
        // Phases are no children in XState's sense, so an application that stops the pipeline stops them by this.
        if (self._parent) stopPhases(self._parent);
        return { ...ALIVE, status: 'stopped', context };
      default:
        return { ...snapshot, context };
    }
  },
};

/** The same, for systems whose clock has timers alone. @param now Milliseconds since 1970. */
export function createRunGuard(now: () => number): RunGuard {
  return { ...runGuardLogic, now };
}

// --- internal ---

const ALIVE = { status: 'active', output: undefined, error: undefined } as const;
