/**
 * What can be done with runs.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { cancelHeld } from '../runtime/cancel-anywhere.ts';
import { forkRun } from '../runtime/fork.ts';
import { freeFromTheGone } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import type { Forked, ForkRequest, RunAction } from './api.ts';
import { refused, RequestRefused } from './error-response.ts';
import type { Begun } from './pending-starts.ts';
import { findRun, offered } from './runs.ts';
import type { Backstage } from './server-context.ts';

/** Does it. Each throws a PhasegateError where it cannot. */
export interface Doer {
  /** Two who ask for the same before it goes on get the same. */
  goOn(how: 'resume' | 'retry', run: ListedRun): Promise<Begun>;
  /** Ends a run here, or tells whoever works on it, and then waits for a moment. */
  cancel(runId: string, reason: string | undefined): Promise<void>;
  fork(runId: string, request: ForkRequest): Promise<Forked>;
}

/** Makes a doer. */
export function createDoer(stage: Backstage): Doer {
  function goOn(how: 'resume' | 'retry', run: ListedRun): Promise<Begun> {
    const { actions } = stage;
    if (!actions) throw notOffered(how, run.runId);
    return stage.starts.begin(how, run, async () => {
      await freeFromTheGone(stage.store, run, stage);
      await actions[how](run);
    });
  }

  return {
    goOn,
    async cancel(runId, reason = `Cancelled by ${stage.user} in the dashboard`) {
      let left = PATIENCE_MS;
      await cancelHeld(stage.store, runId, {
        reason,
        holder: stage.holder,
        by: stage.user,
        free: (run) => freeFromTheGone(stage.store, run, stage),
        async wait() {
          await setTimeout(LOOK_MS);
          left -= LOOK_MS;
          return left > 0;
        },
      });
    },
    async fork(runId, { at, run = false }) {
      if (!offered(stage).includes('fork')) throw notOffered('fork', runId);
      const forked = await forkRun(stage.store, runId, { at });
      if (!run) return { runId: forked };
      try {
        await goOn('resume', await findRun(stage, forked, 'resume'));
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
