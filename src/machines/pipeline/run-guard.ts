/**
 * The guard of a run: it turns restoring an unfinished run into an error, and stops the phases with their run.
 *
 * @module
 */
import type { TransitionActorLogic } from 'xstate';
import { notRestorable, stopPhases } from './run-state-registry.ts';

/** Context of the guard. */
export interface RunGuardContext {
  /** True in a snapshot that was stored. */
  readonly stored: boolean;
}

/** Events of the guard. */
export type RunGuardEvent = { readonly type: 'restored' } | { readonly type: 'xstate.stop' };

/** Logic of the guard. */
export interface RunGuard extends TransitionActorLogic<RunGuardContext, RunGuardEvent, undefined> {
  /** Returns milliseconds since 1970, for systems whose clock has timers alone. */
  readonly now?: (() => number) | undefined;
}

/**
 * Guards one run.
 *
 * A snapshot of the pipeline machine has neither the phases nor the ledger, so a run cannot be resumed from it. XState would restore it
 * and wait for ever. This actor makes that an error.
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

/** Creates a guard for systems whose clock has timers alone. @param now Returns milliseconds since 1970. */
export function createRunGuard(now: () => number): RunGuard {
  return { ...runGuardLogic, now };
}

// --- internal ---

const ALIVE = { status: 'active', output: undefined, error: undefined } as const;
