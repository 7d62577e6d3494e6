/**
 * Steps of runs in handlers of Restate: from the state of the object, to new records and messages.
 *
 * @module
 */
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { Pipeline } from '../model/definition/define.ts';
import type { RunRecord } from '../model/events/event.ts';
import { runStep, type PipelineInput, type Step, type StepAct } from '../runtime/steps/run-step.ts';
import { dispatchOf } from '../runtime/steps/sent-work.ts';
import { createCalls } from './calls.ts';
import { followChildren, keepEnd, tellParent, wantChildren } from './child-runs.ts';
import type { AttemptRequest, ChildRequest, FactRequest } from './messages.ts';
import type { ServiceOptions } from './run-object.ts';
import { bytesOf, exceedsRun, refusalOfAnswer, tooLargeFor } from './run-size.ts';
import {
  appendRecords,
  readHead,
  readRecords,
  writeHead,
  type ParentLink,
  type RunHead,
  type SentAttempt,
} from './run-state.ts';

/** Steps of runs. Each stores what it makes. */
export interface RunSteps {
  /** Begins a run. */
  begin(ctx: ObjectContext, input: PipelineInput, parent?: ParentLink): Promise<Step>;
  /** Takes a step. @returns `undefined` if the run has not started. */
  take(ctx: ObjectContext, act: StepAct): Promise<Step | undefined>;
  /** Takes the facts of a session of work. Those of an earlier session change nothing. @returns The tasks of the session that have room. */
  hear(ctx: ObjectContext, told: FactRequest): Promise<readonly string[]>;
  /** Takes facts about the run of a task, and its end. */
  hearChild(ctx: ObjectContext, told: ChildRequest): Promise<void>;
  /** Takes a step because of time. @param at The time for which the tick was sent. */
  tick(ctx: ObjectContext, at: number): Promise<void>;
}

/** Creates the steps of runs. */
export function createRunSteps({ sdk, names, pipelines, isCopied }: ServiceOptions): RunSteps {
  const { send } = createCalls(sdk);
  const calls = { send, names };

  /** Takes a step from a head, and stores its result. @param head `undefined` for a run that begins. */
  async function step(ctx: ObjectContext, head: RunHead, known: readonly RunRecord[], act: StepAct): Promise<Step> {
    const pipeline = servedPipeline(pipelines, head.pipeline, ctx.key);
    const now = await ctx.date.now();
    const made = await runStep({ pipeline, runId: ctx.key, records: known, now, tries: head.tries, act });
    const records = [...known, ...made.records];
    const ended = head.children?.flatMap(({ id, isEnded }) => (isEnded ? id : []));
    const { begin, stop, keep, dueAt } = dispatchOf(head.sent, { ...made, ended }, records, now);
    const kept = made.records.length === 0 ? {} : await appendRecords(ctx, head, made.records);
    for (const { invocation } of stop) ctx.invocation(sdk.InvocationIdParser.fromString(invocation)).cancel();
    const sent: SentAttempt[] = [...keep];
    for (const { token, session, kept: answers } of begin) {
      const parameter: AttemptRequest = { run: ctx.key, token, session };
      const idempotencyKey = `${ctx.key}:${token}:${session}`;
      const handle = send(ctx, { service: names.work, method: 'attempt', parameter, idempotencyKey });
      const invocation = await handle.invocationId;
      sent.push({ token, session, invocation, ...(answers && { kept: answers }) });
    }
    const children = followChildren(ctx, calls, head, records, made.work);
    const { isOver } = made;
    if (head.parent) tellParent(ctx, calls, head.parent, pipeline, { records, seq: known.length, isOver });
    const own = { key: ctx.key };
    const due = Math.min(made.dueAt ?? Infinity, dueAt ?? Infinity);
    const isTicking = head.tickAt !== null && head.tickAt <= due;
    if (due < Infinity && !isTicking)
      send(ctx, { ...own, service: names.run, method: 'tick', parameter: { at: due }, delay: Math.max(0, due - now) });
    const tickAt = isTicking ? head.tickAt : due < Infinity ? due : null;
    writeHead(ctx, { ...head, ...kept, seq: records.length, sent, tries: made.tries, children, tickAt });
    if (isCopied && made.records.length > 0) send(ctx, { ...own, service: names.store, method: 'copy', parameter: {} });
    return made;
  }

  async function take(ctx: ObjectContext, act: StepAct, change = (head: RunHead) => head): Promise<Step | undefined> {
    const head = await readHead(ctx);
    if (!head) return undefined;
    const refusal = act.type === 'answer' ? refusalOfAnswer(head.bytes, act.reply) : undefined;
    if (refusal) throw refusal;
    const wanted: StepAct =
      act.type === 'posted'
        ? { ...act, message: { ...act.message, refusal: refusalOfAnswer(head.bytes, act.message.reply) } }
        : act;
    return step(ctx, change(head), await readRecords(ctx, head), wanted);
  }

  return {
    begin(ctx, input, parent) {
      const head = {
        pipeline: input.plan.name,
        seq: 0,
        chunks: 0,
        bytes: 0,
        sent: [],
        tries: [],
        parent,
        tickAt: null,
      };
      return step(ctx, head, [], { type: 'begin', input });
    },
    take: (ctx, act) => take(ctx, act),
    async hear(ctx, { token, session, facts, end }) {
      const head = await readHead(ctx);
      const mine = head?.sent.find((one) => one.token === token && one.session === session && !one.parked);
      if (!head || !mine) {
        // Work that was stopped tells the usage of its last tries.
        const isStopped = head?.sent.every((one) => one.token !== token);
        if (isStopped && facts.length > 0) await take(ctx, { type: 'facts', token, facts });
        return [];
      }
      const own = bytesOf(facts);
      if (exceedsRun(head.bytes, own)) {
        // It stays in the list of sent work, so that the step cancels its invocation.
        await take(ctx, { type: 'facts', token, facts: [], outcome: tooLargeFor(head.bytes + own) });
        return [];
      }
      const parked = end?.type === 'parked' ? end : undefined;
      const outcome = end?.type === 'parked' ? undefined : end;
      // The invocation that tells the end stops by itself.
      const others = (sent: RunHead['sent']) => sent.filter((one) => one.token !== token);
      const made = await take(ctx, { type: 'facts', token, facts, outcome }, (before) => {
        const one = wantChildren(before, token, facts);
        if (parked) return { ...one, sent: [...others(one.sent), { ...mine, parked }] };
        return outcome ? { ...one, sent: others(one.sent) } : one;
      });
      return (made?.tries ?? []).flatMap((one) => (one.token === token && one.isGranted ? one.task : []));
    },
    async hearChild(ctx, { id, token, facts, end }) {
      await take(ctx, { type: 'facts', token, facts }, (head) => (end ? keepEnd(ctx, head, id, end) : head));
    },
    async tick(ctx, at) {
      await take(ctx, { type: 'tick' }, (head) => (head.tickAt === at ? { ...head, tickAt: null } : head));
    },
  };
}

/** Returns the pipeline of a run. @throws Error if this worker has none. Restate tries again, until a worker serves it. */
export function servedPipeline(pipelines: ServiceOptions['pipelines'], name: string, runId: string): Pipeline<unknown> {
  const pipeline = pipelines.get(name);
  if (pipeline) return pipeline;
  throw new Error(
    `Cannot continue run ${runId} as this worker serves no pipeline "${name}". Pass it to restateServices().`,
  );
}
