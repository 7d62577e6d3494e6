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
import { fitting } from './run-size.ts';
import { createSessions } from './sessions.ts';

/** Defines the service. */
export function workService({ sdk, names, pipelines }: ServiceOptions) {
  const sessions = createSessions();
  const { send, call } = createCalls(sdk);

  /** Does work, and tells the run all facts about it. A session that was lost with its process begins again. */
  async function attempt(ctx: Context, request: AttemptRequest): Promise<void> {
    for (let round = 1; await isLost(ctx, request, `${ctx.request().id} ${round}`); round++);
  }

  async function isLost(ctx: Context, { run: runId, token, session }: AttemptRequest, key: string): Promise<boolean> {
    const opened = await call<OpenedWork>(ctx, {
      service: names.run,
      method: 'open',
      key: runId,
      parameter: { token, session },
    });
    if (!opened) return false;
    const pipeline = servedPipeline(pipelines, opened.pipeline, runId);
    ctx.request().attemptCompletedSignal.addEventListener('abort', () => sessions.leave(key), { once: true });
    let index = 0;
    const run = { service: names.run, method: 'fact', key: runId };
    /** Tells the run facts, and the session which tries have room. */
    async function tell(step: number, told: FactRequest): Promise<void> {
      sessions.grant(key, step, await call<readonly string[]>(ctx, { ...run, parameter: told }));
    }
    try {
      for (let step = 1; ; step++) {
        const batch = await ctx.run(`step ${step}`, async () => {
          const made = await sessions.batch(key, index, () =>
            beginWork({ ...opened, pipeline, children: { served: pipelines, ended: opened.ended } }),
          );
          return typeof made === 'string' ? made : fitting(made);
        });
        if (batch === 'lost') return true;
        if (batch === 'waiting') await tell(step, { token, session, facts: [] });
        if (batch === 'working' || batch === 'waiting') continue;
        index += 1;
        const told: FactRequest = { token, session, ...batch };
        if (opened.work.isBounded && !batch.end) await tell(step, told);
        else send(ctx, { ...run, parameter: told });
        if (!batch.end) continue;
        sessions.end(key);
        return false;
      }
    } catch (error) {
      if (!(error instanceof sdk.TerminalError)) throw error;
      // The run has cancelled the work.
      const facts = await ctx.run('rest', async () => fitting({ facts: await sessions.rest(key, index) }).facts);
      if (facts.length > 0) send(ctx, { ...run, parameter: { token, session, facts } });
      throw error;
    }
  }

  return sdk.service({ name: names.work, handlers: { attempt }, options: { ingressPrivate: true } });
}
