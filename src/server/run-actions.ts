/**
 * What can be done with runs.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { cancelHeld } from '../runtime/cancel-anywhere.ts';
import { forkRun } from '../runtime/fork.ts';
import { releaseGoneLease } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import type { Forked, ForkRequest, RunAction } from './api.ts';
import { refused, RequestRefused } from './error-response.ts';
import type { Begun } from './pending-starts.ts';
import { findRun, offered } from './runs.ts';
import type { ServerContext } from './server-context.ts';

/** Does it. Each throws a PhasegateError where it cannot. */
export interface RunActions {
  /** Two who ask for the same before it goes on get the same. */
  goOn(how: 'resume' | 'retry', run: ListedRun): Promise<Begun>;
  /** Ends a run here, or tells whoever works on it, and then waits for a moment. */
  cancel(runId: string, reason: string | undefined): Promise<void>;
  fork(runId: string, request: ForkRequest): Promise<Forked>;
}

/** Makes a doer. */
export function createRunActions(context: ServerContext): RunActions {
  function goOn(how: 'resume' | 'retry', run: ListedRun): Promise<Begun> {
    const { actions } = context;
    if (!actions) throw notOffered(how, run.runId);
    return context.starts.begin(how, run, async () => {
      await releaseGoneLease(context.store, run, context);
      await actions[how](run);
    });
  }

  return {
    goOn,
    async cancel(runId, reason = `Cancelled by ${context.user} in the dashboard`) {
      let left = PATIENCE_MS;
      await cancelHeld(context.store, runId, {
        reason,
        holder: context.holder,
        by: context.user,
        free: (run) => releaseGoneLease(context.store, run, context),
        async wait() {
          await setTimeout(LOOK_MS);
          left -= LOOK_MS;
          return left > 0;
        },
      });
    },
    async fork(runId, { at, run = false }) {
      if (!offered(context).includes('fork')) throw notOffered('fork', runId);
      const forked = await forkRun(context.store, runId, { at });
      if (!run) return { runId: forked };
      try {
        await goOn('resume', await findRun(context, forked, 'resume'));
        return { runId: forked };
      } catch (thrown) {
        return { runId: forked, problem: refused(thrown).body.error };
      }
    },
  };
}

// --- internal ---

/** Milliseconds for which whoever works on a run may end it, and between looks. */
const PATIENCE_MS = 5000;
const LOOK_MS = 100;

function notOffered(action: RunAction, runId: string): RequestRefused {
  return new RequestRefused(
    403,
    `Cannot ${action} run ${runId} as this dashboard has no pipelines`,
    'Whoever serves it gives it `actions`; phasegate ui has them.',
  );
}
