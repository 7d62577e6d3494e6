/**
 * The service that does the work of runs: each invocation is one session of an attempt, or of a review.
 *
 * @module
 */
import type { Context } from '@restatedev/restate-sdk';
import { beginWork } from '../runtime/steps/work-session.ts';
import { createCalls } from './calls.ts';
import type { AttemptRequest, FactRequest, OpenedWork } from './messages.ts';
import type { ServiceOptions } from './run-object.ts';
import { servedPipeline } from './run-steps.ts';
import { createSessions } from './sessions.ts';

/** Defines the service. */
export function workService({ sdk, names, pipelines }: ServiceOptions) {
  const sessions = createSessions();
  const { send, call } = createCalls(sdk);

  /** Does work, and tells the run all facts about it. A session that was lost with its process begins again. */
  async function attempt(ctx: Context, request: AttemptRequest): Promise<void> {
    for (let round = 1; await isLost(ctx, request, `${ctx.request().id} ${round}`); round++);
  }

  async function isLost(ctx: Context, { run, token, session }: AttemptRequest, key: string): Promise<boolean> {
    const opened = await call<OpenedWork>(ctx, {
      service: names.run,
      method: 'open',
      key: run,
      parameter: { token, session },
    });
    if (!opened) return false;
    const pipeline = servedPipeline(pipelines, opened.pipeline, run);
    ctx.request().attemptCompletedSignal.addEventListener('abort', () => sessions.leave(key), { once: true });
    try {
      for (let index = 0, step = 1; ; step++) {
        const batch = await ctx.run(`step ${step}`, () =>
          sessions.batch(key, index, () => beginWork({ ...opened, pipeline })),
        );
        if (batch === 'lost') return true;
        if (batch === 'working') continue;
        index += 1;
        const told: FactRequest = { token, session, ...batch };
        send(ctx, { service: names.run, method: 'fact', key: run, parameter: told });
        if (!batch.end) continue;
        sessions.end(key);
        return false;
      }
    } catch (error) {
      // The run has cancelled the work.
      if (error instanceof sdk.TerminalError) sessions.end(key);
      throw error;
    }
  }

  return sdk.service({ name: names.work, handlers: { attempt }, options: { ingressPrivate: true } });
}
