/**
 * The object of a run on Restate: one short handler per fact, answer or moment. None of them waits.
 *
 * Restate runs one handler of an object at a time, which takes the place of a lease. What a handler stores and sends is committed as one.
 *
 * @module
 */
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import { foldInbox } from '../projections/inbox/inbox-fold.ts';
import { foldRun, resultOf } from '../projections/run/run-view.ts';
import type { Pipeline } from '../model/definition/define.ts';
import type { RunRecord } from '../model/events/event.ts';
import { runStep } from '../runtime/steps/run-step.ts';
import { isWithin } from '../runtime/child-ids.ts';
import { runUnknown } from '../store/refusals.ts';
import { createCalls } from './calls.ts';
import { readEnds } from './child-runs.ts';
import {
  refused,
  type Answered,
  type BeginRequest,
  type ChildRequest,
  type FactRequest,
  type OpenedWork,
  type PostedRequest,
  type RunReport,
  type ServiceNames,
} from './messages.ts';
import { answerRequest, cancelRequest, readRequest, recordsRequest } from './requests.ts';
import { createRunSteps, servedPipeline } from './run-steps.ts';
import { readHead, readRecords } from './run-state.ts';
import type { Sdk } from './sdk.ts';
import { beginRun } from './start-run.ts';

/** Options of the services. */
export interface ServiceOptions {
  readonly sdk: Sdk;
  readonly names: ServiceNames;
  /** The pipelines, by name. */
  readonly pipelines: ReadonlyMap<string, Pipeline<unknown>>;
  /** True if a store gets a copy of each run. */
  readonly isCopied: boolean;
}

/** Defines the object of a run. */
export function runObject(options: ServiceOptions) {
  const { sdk, names, pipelines } = options;
  const steps = createRunSteps(options);
  const { exclusive, shared } = sdk.handlers.object;
  const { send, call } = createCalls(sdk);
  const inside = { ingressPrivate: true };

  async function start(ctx: ObjectContext, request: unknown): Promise<Answered<'started' | 'exists'>> {
    if (await readHead(ctx)) return { ok: true, value: 'exists' };
    const begun = await beginRun(ctx, pipelines, request);
    if (!begun.ok) return begun;
    await steps.begin(ctx, begun.value);
    return { ok: true, value: 'started' };
  }

  /** Starts the run of a task. */
  async function begin(ctx: ObjectContext, { parent, start: request }: BeginRequest): Promise<void> {
    if (await readHead(ctx)) return;
    const begun = await beginRun(ctx, pipelines, request, () => undefined);
    if (begun.ok) {
      await steps.begin(ctx, begun.value, parent);
      return;
    }
    const parameter: ChildRequest = {
      id: ctx.key,
      token: parent.token,
      facts: [],
      end: { type: 'refused', ...begun.refusal },
    };
    send(ctx, { service: names.run, method: 'child', key: parent.run, parameter });
  }

  async function child(ctx: ObjectContext, told: ChildRequest): Promise<void> {
    await steps.hearChild(ctx, told);
  }

  /** @returns The tasks that have room in the limits of the run. */
  function fact(ctx: ObjectContext, told: FactRequest): Promise<readonly string[]> {
    return steps.hear(ctx, told);
  }

  async function answer(ctx: ObjectContext, request: unknown): Promise<Answered<null>> {
    try {
      const { item, reply, by, nonce } = readRequest(answerRequest, 'answer', request);
      // The item of a run that a task has started is answered there.
      const key = item.slice(0, item.lastIndexOf(':'));
      if (key !== ctx.key && isWithin(key, ctx.key))
        return await call<Answered<null>>(ctx, { service: names.run, method: 'answer', key, parameter: request });
      const made = await steps.take(ctx, { type: 'answer', item, reply, options: { by, nonce } });
      if (!made) throw runUnknown('answer', ctx.key);
      if (made.refusal) throw made.refusal;
      return { ok: true, value: null };
    } catch (error) {
      return refused(error);
    }
  }

  async function posted(ctx: ObjectContext, message: PostedRequest): Promise<void> {
    if (message.kind === 'cancel') await steps.take(ctx, { type: 'cancel', reason: message.reason });
    else await steps.take(ctx, { type: 'posted', message });
  }

  async function cancel(ctx: ObjectContext, request: unknown): Promise<Answered<null>> {
    try {
      const { reason } = readRequest(cancelRequest, 'cancel', request);
      if (!(await steps.take(ctx, { type: 'cancel', reason }))) throw runUnknown('cancel', ctx.key);
      return { ok: true, value: null };
    } catch (error) {
      return refused(error);
    }
  }

  async function tick(ctx: ObjectContext, { at }: { readonly at: number }): Promise<void> {
    await steps.tick(ctx, at);
  }

  /** All that a worker needs to begin a session, from the records so far. */
  async function open(
    ctx: ObjectContext,
    { token, session }: { readonly token: string; readonly session: number },
  ): Promise<OpenedWork> {
    const head = await readHead(ctx);
    const sent = head?.sent.find((one) => one.token === token && one.session === session && !one.parked);
    if (!head || !sent) return null;
    const pipeline = servedPipeline(pipelines, head.pipeline, ctx.key);
    const records = await readRecords(ctx, head);
    const now = await ctx.date.now();
    const made = await runStep({ pipeline, runId: ctx.key, records, now, tries: head.tries, act: { type: 'tick' } });
    const work = made.work.find((one) => one.token === token);
    if (!work) return null;
    const { kept } = sent;
    const ended = await readEnds(ctx, head, token);
    return { pipeline: head.pipeline, work, records: recordsAbout(work.phase, records), ended, ...(kept && { kept }) };
  }

  async function get(ctx: ObjectSharedContext): Promise<Answered<RunReport>> {
    const head = await readHead(ctx);
    if (!head) return refused(runUnknown('show', ctx.key));
    const view = foldRun();
    const inbox = foldInbox();
    for (const record of await readRecords(ctx, head)) {
      view.apply(record);
      inbox.apply(record);
    }
    const snapshot = view.snapshot();
    const { pipeline, seq } = head;
    const { status } = snapshot;
    const items = [...inbox.open()];
    for (const { id, isEnded } of head.children ?? []) {
      if (isEnded) continue;
      const shown = await call<Answered<RunReport>>(ctx, {
        service: names.run,
        method: 'get',
        key: id,
        parameter: null,
      });
      if (shown.ok) items.push(...shown.value.inbox);
    }
    const report = { runId: ctx.key, pipeline, status, seq, inbox: items, result: resultOf(snapshot) };
    return { ok: true, value: report };
  }

  async function recordsFrom(ctx: ObjectSharedContext, request: unknown): Promise<Answered<readonly RunRecord[]>> {
    try {
      const { from } = readRequest(recordsRequest, 'read', request);
      const head = await readHead(ctx);
      return { ok: true, value: head ? (await readRecords(ctx, head)).filter(({ seq }) => seq >= from) : [] };
    } catch (error) {
      return refused(error);
    }
  }

  return sdk.object({
    name: names.run,
    handlers: {
      start: exclusive(start),
      answer: exclusive(answer),
      cancel: exclusive(cancel),
      begin: exclusive(inside, begin),
      child: exclusive(inside, child),
      fact: exclusive(inside, fact),
      posted: exclusive(inside, posted),
      tick: exclusive(inside, tick),
      open: exclusive(inside, open),
      get: shared(get),
      records: shared(recordsFrom),
    },
  });
}

// --- internal ---

/** The records that a session of work for one phase reads, and the last one, whose number it has seen. */
function recordsAbout(phase: string, records: readonly RunRecord[]): readonly RunRecord[] {
  return records.filter(
    ({ event }, index) => index === records.length - 1 || !('phase' in event) || event.phase === phase,
  );
}
