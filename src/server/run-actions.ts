/**
 * Actions on runs.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { cancelAnywhere } from '../runtime/cancel-anywhere.ts';
import { forkRun } from '../runtime/fork.ts';
import { releaseGoneLease } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import type { Forked, ForkRequest, RunAction } from './api.ts';
import type { UserAction } from './http/access.ts';
import { refused, RequestRefused } from './http/error-response.ts';
import type { Begun } from './pending-starts.ts';
import { findRun, offered } from './runs.ts';
import type { RequestContext } from './server-context.ts';

/** Executes actions on runs. Each method throws a PhasegateError if it fails. */
export interface RunActions {
  /** Resumes or retries a run. A second call for the same action shares the pending start. */
  continueRun(how: 'resume' | 'retry', run: ListedRun): Promise<Begun>;
  /** Cancels a run: directly, or by a request to the process that works on it, for which it waits a moment. */
  cancel(runId: string, reason: string | undefined): Promise<void>;
  fork(runId: string, request: ForkRequest): Promise<Forked>;
}

/** Creates the run actions. */
export function createRunActions(context: RequestContext): RunActions {
  function continueRun(how: 'resume' | 'retry', run: ListedRun): Promise<Begun> {
    const { actions } = context;
    if (!actions) throw notOffered(how, run.runId);
    return context.starts.begin(how, run, async () => {
      await releaseGoneLease(context.store, run, context);
      await actions[how](run);
    });
  }

  return {
    continueRun,
    async cancel(runId, reason = `Cancelled by ${context.access.user} in the dashboard`) {
      let left = PATIENCE_MS;
      await cancelAnywhere(context.store, runId, {
        reason,
        holder: context.holder,
        by: context.access.user,
        free: (run) => releaseGoneLease(context.store, run, context),
        async wait() {
          await setTimeout(POLL_MS);
          left -= POLL_MS;
          return left > 0;
        },
      });
    },
    async fork(runId, { at, run = false }) {
      if (!offered(context).includes('fork')) throw notOffered('fork', runId);
      const forked = await forkRun(context.store, runId, { at });
      if (!run) return { runId: forked };
      try {
        await continueRun('resume', await findRun(context, forked, 'resume'));
        return { runId: forked };
      } catch (thrown) {
        return { runId: forked, problem: refused(thrown).body.error };
      }
    },
  };
}

/** Refuses an action that the user may not take. @throws RequestRefused */
export function requireAction({ access }: RequestContext, action: UserAction): void {
  if (access.actions.includes(action)) return;
  const problem = `Cannot ${action} a run as its application does not let this user: ${JSON.stringify(access.user)}`;
  throw new RequestRefused(403, problem, 'Ask somebody who may.');
}

// --- internal ---

/** Milliseconds that the process of a run gets to cancel it, and between polls. */
const PATIENCE_MS = 5000;
const POLL_MS = 100;

function notOffered(action: RunAction, runId: string): RequestRefused {
  return new RequestRefused(
    403,
    `Cannot ${action} run ${runId} as this dashboard has no pipelines`,
    'Pass `actions` to the server, or use phasegate ui.',
  );
}
